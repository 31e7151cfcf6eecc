//! A checkpoint as stored: a header that says what it is, and the caller's bytes.
//!
//! `ESCK` · version u32 · iteration u64 · length u64 · crc32 of all of that and the payload ·
//! payload, little-endian. What is inside of the payload is the caller's, its versions included.

use thiserror::Error;

const MAGIC: [u8; 4] = *b"ESCK";
const VERSION: u32 = 1;
/// Bytes before the checksum.
const COVERED: usize = 24;
const HEADER: usize = COVERED + 4;

/// The state after an iteration, to go on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The iteration it was taken after.
    pub iteration: u64,
    /// The caller's bytes, as given to [`Writer::commit`](crate::Writer::commit).
    pub payload: Vec<u8>,
}

/// Why bytes are not a sound checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// No bytes at all.
    #[error("it is missing")]
    Missing,
    /// Fewer bytes than a header.
    #[error("it is cut off: {0} bytes, fewer than its header")]
    Short(usize),
    /// Not a frame.
    #[error("it is not a checkpoint")]
    Magic,
    /// A version this program does not know.
    #[error("its format version {0} is not known to this program")]
    Version(u32),
    /// Another length than the header says.
    #[error("its header says {expected} bytes, there are {found}")]
    Length {
        /// By the header.
        expected: u64,
        /// By the bytes.
        found: u64,
    },
    /// Another checksum than the header says.
    #[error("its checksum differs")]
    Checksum,
    /// Sound, but of another iteration than the row it is in.
    #[error("it belongs to iteration {0}")]
    Iteration(u64),
}

/// Bytes of a frame around `payload`.
pub(crate) fn length(payload: &[u8]) -> usize {
    HEADER + payload.len()
}

/// What stands before the state after `iteration`.
pub(crate) fn header(iteration: u64, payload: &[u8]) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[4..8].copy_from_slice(&VERSION.to_le_bytes());
    bytes[8..16].copy_from_slice(&iteration.to_le_bytes());
    bytes[16..COVERED].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    let crc = checksum(&bytes[..COVERED], payload);
    bytes[COVERED..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// Reads a frame, or says what is wrong with it.
pub(crate) fn read(bytes: &[u8]) -> Result<Checkpoint, FrameError> {
    if bytes.len() < HEADER {
        return Err(FrameError::Short(bytes.len()));
    }
    let (header, payload) = bytes.split_at(HEADER);
    let u32_at = |at| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
    let u64_at = |at| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
    if header[..4] != MAGIC {
        return Err(FrameError::Magic);
    }
    if u32_at(4) != VERSION {
        return Err(FrameError::Version(u32_at(4)));
    }
    let (expected, found) = (u64_at(16), payload.len() as u64);
    if expected != found {
        return Err(FrameError::Length { expected, found });
    }
    if u32_at(COVERED) != checksum(&header[..COVERED], payload) {
        return Err(FrameError::Checksum);
    }
    Ok(Checkpoint { iteration: u64_at(8), payload: payload.to_vec() })
}

fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(header);
    crc.update(payload);
    crc.finalize()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn write(iteration: u64, payload: &[u8]) -> Vec<u8> {
        let frame = [&header(iteration, payload)[..], payload].concat();
        assert_eq!(frame.len(), length(payload));
        frame
    }

    proptest! {
        #[test]
        fn round_trip(iteration: u64, payload in vec(any::<u8>(), 0..300)) {
            let read = read(&write(iteration, &payload));
            prop_assert_eq!(read, Ok(Checkpoint { iteration, payload }));
        }

        #[test]
        fn any_bytes_are_refused_without_panic(bytes in vec(any::<u8>(), 0..200)) {
            prop_assert!(read(&bytes).is_err());
        }

        #[test]
        fn any_bytes_behind_a_true_beginning_are_refused(tail in vec(any::<u8>(), 0..200)) {
            let bytes = [&MAGIC[..], &VERSION.to_le_bytes(), &tail].concat();
            prop_assert!(read(&bytes).is_err());
        }

        #[test]
        fn a_changed_cut_or_longer_frame_is_refused(
            payload in vec(any::<u8>(), 0..100), at: prop::sample::Index, mask in 1u8..,
        ) {
            let frame = write(3, &payload);
            let at = at.index(frame.len());
            let mut changed = frame.clone();
            changed[at] ^= mask;
            prop_assert!(read(&changed).is_err());
            prop_assert!(read(&frame[..at]).is_err());
            prop_assert!(read(&[&frame[..], &[0]].concat()).is_err());
        }
    }
}
