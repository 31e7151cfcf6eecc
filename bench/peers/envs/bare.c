/* The limit: a bare loop of mj_step. usage: bare MODEL.xml COURSE [nomid]
 * Reads a number of threads from each line of its input, replays the course on so many until all have come to its
 * end, and answers how many steps that took. No observation, no reward, no policy; whether it ended where esenas
 * did is checked to the last bit. "nomid" leaves out the middle phase of collision detection, as esenas does. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mujoco/mujoco.h>

enum { MOST = 64, LINES = 10000 };
static struct { char kind; mjtNum x[MOST]; } course[LINES]; /* see steps.rs */
static int lines, skip;
static mjModel *model;
static atomic_int left;

static void load(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) perror(path), exit(1);
  for (; lines < LINES && fscanf(file, " %c", &course[lines].kind) == 1; lines++)
    for (int i = 0; i < MOST && fscanf(file, "%lf", &course[lines].x[i]) == 1;) i++;
  fclose(file);
}

static void *play(void *data) {
  mjData *d = data;
  long steps = 0, first = 1;
  for (int at = 0; first || atomic_load_explicit(&left, memory_order_relaxed); at++) {
    if (at == lines) {
      atomic_fetch_sub(&left, first), first = 0, at = -1;
      continue;
    }
    const mjtNum *x = course[at].x;
    switch (course[at].kind) {
    case 's':
      mj_resetData(model, d);
      memcpy(d->qpos, x + 1, model->nq * sizeof *x);
      memcpy(d->qvel, x + 1 + model->nq, model->nv * sizeof *x);
      mj_forward(model, d);
      break;
    case 'a':
      memcpy(d->ctrl, x, model->nu * sizeof *x);
      for (int i = 0; i < skip; i++) mj_step(model, d);
      steps++;
      break;
    case 'e':
      if (memcmp(d->qpos, x, model->nq * sizeof *x)) fprintf(stderr, "another end\n"), exit(1);
    }
  }
  return (void *)steps;
}

int main(int argc, char **argv) {
  char error[1000];
  int threads;
  if (argc < 3) return fprintf(stderr, "bare MODEL.xml COURSE [nomid]\n"), 2;
  model = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!model) return fprintf(stderr, "%s\n", error), 1;
  if (argc > 3) model->opt.disableflags |= mjDSBL_MIDPHASE;
  load(argv[2]);
  skip = lround(course[0].x[0] / model->opt.timestep);
  mjData *data[MOST] = {0};
  while (scanf("%d", &threads) == 1) {
    pthread_t workers[MOST];
    long sum = 0;
    left = threads;
    for (int i = 0; i < threads; i++) {
      if (!data[i]) data[i] = mj_makeData(model);
      pthread_create(&workers[i], NULL, play, data[i]);
    }
    for (int i = 0; i < threads; i++) {
      void *steps;
      pthread_join(workers[i], &steps);
      sum += (long)steps;
    }
    printf("%ld\n", sum), fflush(stdout);
  }
  return 0;
}
