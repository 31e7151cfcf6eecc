//! Films: that they show what happens.

use esenas::{Purpose, Seed};
use esenas_control::Env;
use esenas_mujoco::Filmed;

use crate::task;

const SIZE: (u16, u16) = (96, 72);

/// A film of some steps with one action.
fn filmed(name: &str, steps: usize, most: usize) -> Filmed {
    let mut env = Filmed::new(task(name), SIZE.0, SIZE.1, most);
    let mut observation = vec![0.0; env.spec().observation];
    let action: Vec<f64> = env.spec().high.iter().map(|high| 0.5 * high).collect();
    env.reset(&mut Seed(0).stream(Purpose::Evaluate, 0, 0), &mut observation);
    for _ in 0..steps {
        env.step(&action, &mut observation).unwrap();
    }
    env
}

#[test]
fn every_environment_is_seen_to_move() {
    for listed in esenas_mujoco::list() {
        let env = filmed(listed.name, 40, usize::MAX);
        let film = env.film();
        let frames = film.frames();
        let every = if listed.milliseconds < 40 { 40 / listed.milliseconds as usize } else { 1 };
        assert_eq!(frames.len(), 1 + 40 / every, "{}: one picture per 40 ms or step", listed.name);
        let (first, last) = (&frames[0], &frames[frames.len() - 1]);
        assert_eq!(first.len(), 3 * usize::from(SIZE.0) * usize::from(SIZE.1));
        let changed = first.iter().zip(last).filter(|(a, b)| a.abs_diff(**b) > 20).count();
        assert!(changed > 60, "{}: {changed} bytes of the picture changed", listed.name);
        let mut colours: Vec<[u8; 3]> = first.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
        colours.sort_unstable();
        colours.dedup();
        assert!(colours.len() > 20, "{}: there is something to see", listed.name);
    }
}

#[test]
fn a_gif_is_what_was_filmed() {
    let film = filmed("HalfCheetah", 30, 12).film();
    let mut bytes = Vec::new();
    film.write_gif(&mut bytes).unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(&bytes[..]).unwrap();
    assert_eq!((decoder.width(), decoder.height()), SIZE);
    let mut frames = 0;
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.delay, 5, "HalfCheetah acts every 50 ms");
        let theirs = frame.buffer.chunks_exact(4).flat_map(|pixel| &pixel[..3]);
        let far: u32 =
            theirs.zip(&film.frames()[frames]).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        let mean = f64::from(far) / film.frames()[frames].len() as f64;
        assert!(mean < 6.0, "256 colours are nearly enough: {mean}");
        frames += 1;
    }
    assert_eq!(frames, 12, "no more pictures than were asked for");
}
