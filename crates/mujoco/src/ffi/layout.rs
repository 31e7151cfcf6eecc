//! Where MuJoCo 2.3.7 keeps what we read: offsets in bytes into `mjModel` and `mjData`.
//!
//! They hold for every platform with 64-bit pointers and 32-bit integers (x86_64 and aarch64
//! Linux among them). `tests/layout.rs` has the C compiler compute them again from the headers of
//! the package, and [`Model::load`](super::Model::load) compares what is read here with what
//! `mj_getState` says before a model is used.

/// What `mj_version` returns.
pub(crate) const VERSION: i32 = 237;

/// Offsets into `mjModel`.
pub(crate) mod model {
    pub(crate) const NQ: usize = 0;
    pub(crate) const NV: usize = 4;
    pub(crate) const NU: usize = 8;
    pub(crate) const NBODY: usize = 16;
    pub(crate) const NGEOM: usize = 28;
    pub(crate) const NMAT: usize = 108;
    pub(crate) const NPAIR: usize = 112;
    pub(crate) const NEXCLUDE: usize = 116;
    pub(crate) const TIMESTEP: usize = 264;
    pub(crate) const COLLISION: usize = 468;
    pub(crate) const DISABLE_FLAGS: usize = 496;
    pub(crate) const QPOS0: usize = 1136;
    pub(crate) const BODY_PARENTID: usize = 1152;
    pub(crate) const BODY_WELDID: usize = 1168;
    pub(crate) const GEOM_TYPE: usize = 1608;
    pub(crate) const GEOM_CONTYPE: usize = 1616;
    pub(crate) const GEOM_CONAFFINITY: usize = 1624;
    pub(crate) const GEOM_CONDIM: usize = 1632;
    pub(crate) const GEOM_BODYID: usize = 1640;
    pub(crate) const GEOM_MATID: usize = 1656;
    pub(crate) const GEOM_PRIORITY: usize = 1672;
    pub(crate) const GEOM_SOLMIX: usize = 1688;
    pub(crate) const GEOM_SOLREF: usize = 1696;
    pub(crate) const GEOM_SOLIMP: usize = 1704;
    pub(crate) const GEOM_SIZE: usize = 1712;
    pub(crate) const GEOM_FRICTION: usize = 1752;
    pub(crate) const GEOM_MARGIN: usize = 1760;
    pub(crate) const GEOM_GAP: usize = 1768;
    pub(crate) const GEOM_RGBA: usize = 1792;
    pub(crate) const MAT_RGBA: usize = 2552;
    pub(crate) const PAIR_DIM: usize = 2560;
    pub(crate) const ACTUATOR_CTRLRANGE: usize = 3000;
    pub(crate) const NAME_BODYADR: usize = 3368;
    pub(crate) const NAMES: usize = 3544;
}

/// Offsets into `mjData`.
pub(crate) mod data {
    pub(crate) const WARNING: usize = 56;
    pub(crate) const QPOS: usize = 40432;
    pub(crate) const QVEL: usize = 40440;
    pub(crate) const CTRL: usize = 40472;
    pub(crate) const XPOS: usize = 40560;
    pub(crate) const GEOM_XPOS: usize = 40616;
    pub(crate) const GEOM_XMAT: usize = 40624;
}

/// `mjSTATE_QPOS | mjSTATE_QVEL | mjSTATE_CTRL`
pub(crate) const STATE: u32 = 2 | 4 | 32;
/// `mjDSBL_FILTERPARENT`
pub(crate) const DISABLE_FILTERPARENT: i32 = 1 << 9;
/// `mjCOL_PAIR`
pub(crate) const PAIRS_ONLY: i32 = 1;
/// `mjDSBL_MIDPHASE`
pub(crate) const DISABLE_MIDPHASE: i32 = 1 << 13;
/// `mjWARN_BADQPOS`, `mjWARN_BADQVEL`, `mjWARN_BADQACC`: after these MuJoCo resets the data itself.
pub(crate) const BAD_STATE: [usize; 3] = [4, 5, 6];
/// Bytes of an `mjWarningStat`: two integers, the second the number of warnings.
pub(crate) const WARNING_STAT: usize = 8;
