/* The limit: a bare loop of mj_step. usage: bare MODEL.xml ENV THREADS SECONDS [nomid]
 * Uniform actions; a new episode after 1000 steps or, for Hopper, when it falls. No observation, no reward.
 * "nomid" leaves out the middle phase of collision detection, as esenas does. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <mujoco/mujoco.h>

static const mjModel *model;
static const char *env;
static int skip;
static atomic_int stop;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double uniform(unsigned long *s) { /* xorshift64*, within -1 and 1 */
  *s ^= *s >> 12, *s ^= *s << 25, *s ^= *s >> 27;
  return (double)((*s * 2685821657736338717ul) >> 11) / 4503599627370496.0 - 1.0;
}

static void begin(mjData *d, unsigned long *s, double noise) {
  mj_resetData(model, d);
  for (int i = 0; i < model->nq; i++) d->qpos[i] += noise * uniform(s);
  for (int i = 0; i < model->nv; i++) d->qvel[i] = noise * uniform(s);
  mj_forward(model, d);
}

static int stands(const mjData *d) {
  return d->qpos[1] > 0.7 && fabs(d->qpos[2]) < 0.2;
}

static void *work(void *arg) {
  unsigned long s = 88172645463325252ul + 7919 * (unsigned long)(size_t)arg;
  int hopper = !strcmp(env, "Hopper"), nu = model->nu;
  double noise = hopper ? 0.005 : 0.1, *rate = malloc(sizeof *rate);
  mjtNum *actions = malloc(4096 * nu * sizeof *actions);
  for (int i = 0; i < 4096 * nu; i++) actions[i] = uniform(&s);
  mjData *d = mj_makeData(model);
  begin(d, &s, noise);
  long steps = 0, length = 0;
  double begun = now();
  while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
    memcpy(d->ctrl, actions + steps % 4096 * nu, nu * sizeof *actions);
    for (int i = 0; i < skip; i++) mj_step(model, d);
    steps++, length++;
    if (length == 1000 || (hopper && !stands(d))) begin(d, &s, noise), length = 0;
  }
  *rate = steps / (now() - begun);
  return rate;
}

int main(int argc, char **argv) {
  char error[1000];
  if (argc < 5) return fprintf(stderr, "bare MODEL.xml ENV THREADS SECONDS [nomid]\n"), 2;
  mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  if (argc > 5) m->opt.disableflags |= mjDSBL_MIDPHASE;
  model = m, env = argv[2], skip = !strcmp(env, "HalfCheetah") ? 5 : 4;
  int threads = atoi(argv[3]);
  pthread_t workers[64];
  double sum = 0, seconds = atof(argv[4]);
  for (int i = 0; i < threads; i++) pthread_create(&workers[i], NULL, work, (void *)(size_t)i);
  struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (time_t)seconds))};
  nanosleep(&t, NULL);
  atomic_store(&stop, 1);
  for (int i = 0; i < threads; i++) {
    void *rate;
    pthread_join(workers[i], &rate);
    sum += *(double *)rate;
  }
  printf("%.0f\n", sum);
  return 0;
}
