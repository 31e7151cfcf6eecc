//! MP4, by the `ffmpeg` that the machine has: an encoder of our own would be larger than all else
//! here.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use thiserror::Error;

use super::Film;

/// The variable that names the encoder.
const VARIABLE: &str = "ESENAS_FFMPEG";

/// Why there is no MP4.
#[derive(Debug, Error)]
pub enum VideoError {
    /// The encoder cannot be started.
    #[error(
        "MP4 needs ffmpeg, and {program:?} cannot be started ({source}): install it, name it in {VARIABLE}, or \
         write a .gif, which needs nothing"
    )]
    Missing {
        /// What was to be started.
        program: OsString,
        /// Why not.
        source: io::Error,
    },
    /// The encoder did not make it.
    #[error("ffmpeg could not write {path:?}: {said}")]
    Failed {
        /// The film.
        path: OsString,
        /// Its last words.
        said: String,
    },
}

impl Film {
    /// Writes an MP4 with `ffmpeg`: the one that `ESENAS_FFMPEG` names, or that of the path.
    pub fn write_mp4(&self, path: &Path) -> Result<(), VideoError> {
        let program = std::env::var_os(VARIABLE).unwrap_or_else(|| "ffmpeg".into());
        let mut encoder = Command::new(&program)
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s"])
            .arg(format!("{}x{}", self.width, self.height))
            .args(["-r", &format!("100/{}", self.delay), "-i", "-"])
            // Players want whole blocks of 2 × 2 pixels in this format, and the index in front.
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"])
            .args(["-movflags", "+faststart", "-f", "mp4"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| VideoError::Missing { program, source })?;
        let mut pictures = encoder.stdin.take().expect("piped above");
        // With its log at errors it says less than a pipe holds, so nobody waits for the other.
        let told = self.frames().iter().try_for_each(|picture| pictures.write_all(picture));
        drop(pictures);
        let failed = |said| VideoError::Failed { path: path.into(), said };
        let done = encoder.wait_with_output().map_err(|error| failed(error.to_string()))?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            return Err(failed(said.trim().to_owned()));
        }
        told.map_err(|error| failed(error.to_string()))
    }
}
