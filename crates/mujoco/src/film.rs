//! Films of an environment, drawn without any graphics library: off-screen OpenGL is not on every
//! machine, and the models are a dozen simple shapes. A ray per quarter of a pixel, a sun, a
//! shadow.

mod camera;
mod scene;
mod shape;
mod video;

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use esenas::Stream;
use esenas_control::{Env, EnvFault, EnvSpec, Step};
use gif::{Encoder, EncodingError, Frame, Repeat};
use rayon::prelude::*;

use crate::task::Task;

use camera::Camera;
use scene::Scene;
pub use video::VideoError;

/// The time between two frames is as near to this as whole steps allow, in seconds.
const INTERVAL: f64 = 0.04;

/// Pictures one after the other. Clones share them.
#[derive(Clone)]
pub struct Film {
    width: u16,
    height: u16,
    /// Hundredths of a second.
    delay: u16,
    /// Each is rows of red, green, blue.
    frames: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Film {
    /// The pictures so far, each as rows of red, green, blue.
    pub fn frames(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes an animated GIF that repeats for ever.
    pub fn write_gif(&self, to: impl Write) -> Result<(), EncodingError> {
        let mut encoder = Encoder::new(to, self.width, self.height, &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        // Choosing 256 colours and compressing takes longer than drawing: frames are independent.
        for some in self.frames().chunks(64) {
            let encoded: Vec<Frame<'_>> = some
                .par_iter()
                .map(|pixels| {
                    let mut frame = Frame::from_rgb_speed(self.width, self.height, pixels, 20);
                    frame.delay = self.delay;
                    frame.make_lzw_pre_encoded();
                    frame
                })
                .collect();
            for frame in &encoded {
                encoder.write_lzw_pre_encoded_frame(frame)?;
            }
        }
        Ok(())
    }
}

/// An environment that is filmed while it is used, whoever uses it.
pub struct Filmed {
    task: Task,
    camera: Camera,
    film: Film,
    /// Steps per picture.
    every: usize,
    steps: usize,
    most: usize,
}

impl Filmed {
    /// Films `task` in pictures of this size, at most `most` of them.
    pub fn new(task: Task, width: u16, height: u16, most: usize) -> Self {
        let every = (INTERVAL / task.dt()).round().max(1.0) as usize;
        let delay = (task.dt() * every as f64 * 100.0).round().max(2.0) as u16;
        let camera = Camera::of(task.family(), width, height);
        let film = Film { width, height, delay, frames: Arc::default() };
        Self { task, camera, film, every, steps: 0, most }
    }

    /// What is filmed: to be had before the environment is given to whoever uses it.
    pub fn film(&self) -> Film {
        self.film.clone()
    }

    fn shoot(&mut self) {
        let mut frames = self.film.frames();
        if self.steps.is_multiple_of(self.every) && frames.len() < self.most {
            let scene = Scene::of(self.task.data());
            self.camera.follow(&scene);
            frames.push(self.camera.picture(&scene));
        }
        drop(frames);
        self.steps += 1;
    }
}

impl Env for Filmed {
    fn spec(&self) -> &EnvSpec {
        self.task.spec()
    }

    fn reset(&mut self, stream: &mut Stream, observation: &mut [f64]) {
        self.task.reset(stream, observation);
        self.steps = 0;
        self.shoot();
    }

    fn step(&mut self, action: &[f64], observation: &mut [f64]) -> Result<Step, EnvFault> {
        let step = self.task.step(action, observation)?;
        self.shoot();
        Ok(step)
    }
}
