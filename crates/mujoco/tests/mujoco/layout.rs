//! The offsets into MuJoCo's structs, computed again by the C compiler from the headers of the
//! package.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// The constants of `src/ffi/layout.rs` as it is written, and the C expression each stands for.
const OFFSETS: [(&str, &str); 41] = [
    ("model::NQ", "offsetof(mjModel, nq)"),
    ("model::NV", "offsetof(mjModel, nv)"),
    ("model::NU", "offsetof(mjModel, nu)"),
    ("model::NBODY", "offsetof(mjModel, nbody)"),
    ("model::NGEOM", "offsetof(mjModel, ngeom)"),
    ("model::NMAT", "offsetof(mjModel, nmat)"),
    ("model::TIMESTEP", "offsetof(mjModel, opt.timestep)"),
    ("model::DISABLE_FLAGS", "offsetof(mjModel, opt.disableflags)"),
    ("model::QPOS0", "offsetof(mjModel, qpos0)"),
    ("model::GEOM_TYPE", "offsetof(mjModel, geom_type)"),
    ("model::GEOM_MATID", "offsetof(mjModel, geom_matid)"),
    ("model::GEOM_SIZE", "offsetof(mjModel, geom_size)"),
    ("model::GEOM_RGBA", "offsetof(mjModel, geom_rgba)"),
    ("model::MAT_RGBA", "offsetof(mjModel, mat_rgba)"),
    ("model::ACTUATOR_CTRLRANGE", "offsetof(mjModel, actuator_ctrlrange)"),
    ("model::NPAIR", "offsetof(mjModel, npair)"),
    ("model::NEXCLUDE", "offsetof(mjModel, nexclude)"),
    ("model::COLLISION", "offsetof(mjModel, opt.collision)"),
    ("model::BODY_PARENTID", "offsetof(mjModel, body_parentid)"),
    ("model::BODY_WELDID", "offsetof(mjModel, body_weldid)"),
    ("model::GEOM_CONTYPE", "offsetof(mjModel, geom_contype)"),
    ("model::GEOM_CONAFFINITY", "offsetof(mjModel, geom_conaffinity)"),
    ("model::GEOM_CONDIM", "offsetof(mjModel, geom_condim)"),
    ("model::GEOM_BODYID", "offsetof(mjModel, geom_bodyid)"),
    ("model::GEOM_PRIORITY", "offsetof(mjModel, geom_priority)"),
    ("model::GEOM_SOLMIX", "offsetof(mjModel, geom_solmix)"),
    ("model::GEOM_SOLREF", "offsetof(mjModel, geom_solref)"),
    ("model::GEOM_SOLIMP", "offsetof(mjModel, geom_solimp)"),
    ("model::GEOM_FRICTION", "offsetof(mjModel, geom_friction)"),
    ("model::GEOM_MARGIN", "offsetof(mjModel, geom_margin)"),
    ("model::GEOM_GAP", "offsetof(mjModel, geom_gap)"),
    ("model::PAIR_DIM", "offsetof(mjModel, pair_dim)"),
    ("model::NAME_BODYADR", "offsetof(mjModel, name_bodyadr)"),
    ("model::NAMES", "offsetof(mjModel, names)"),
    ("data::WARNING", "offsetof(mjData, warning)"),
    ("data::QPOS", "offsetof(mjData, qpos)"),
    ("data::QVEL", "offsetof(mjData, qvel)"),
    ("data::CTRL", "offsetof(mjData, ctrl)"),
    ("data::XPOS", "offsetof(mjData, xpos)"),
    ("data::GEOM_XPOS", "offsetof(mjData, geom_xpos)"),
    ("data::GEOM_XMAT", "offsetof(mjData, geom_xmat)"),
];

/// Claims of the same file that are not offsets.
const FACTS: [&str; 22] = [
    "mjVERSION_HEADER == 237",
    "(mjSTATE_QPOS | mjSTATE_QVEL | mjSTATE_CTRL) == (2 | 4 | 32)",
    "mjDSBL_MIDPHASE == 1 << 13",
    "mjDSBL_FILTERPARENT == 1 << 9 && mjCOL_ALL == 0 && mjCOL_PAIR == 1",
    "mjNREF == 2 && mjNIMP == 5",
    "offsetof(mjModel, pair_geom1) == offsetof(mjModel, pair_dim) + 8",
    "offsetof(mjModel, pair_geom2) == offsetof(mjModel, pair_dim) + 16",
    "offsetof(mjModel, pair_signature) == offsetof(mjModel, pair_dim) + 24",
    "offsetof(mjModel, pair_solref) == offsetof(mjModel, pair_dim) + 32",
    "offsetof(mjModel, pair_solreffriction) == offsetof(mjModel, pair_dim) + 40",
    "offsetof(mjModel, pair_solimp) == offsetof(mjModel, pair_dim) + 48",
    "offsetof(mjModel, pair_margin) == offsetof(mjModel, pair_dim) + 56",
    "offsetof(mjModel, pair_gap) == offsetof(mjModel, pair_dim) + 64",
    "offsetof(mjModel, pair_friction) == offsetof(mjModel, pair_dim) + 72",
    "mjWARN_BADQPOS == 4 && mjWARN_BADQVEL == 5 && mjWARN_BADQACC == 6",
    "sizeof(mjWarningStat) == 8 && offsetof(mjWarningStat, number) == 4",
    "sizeof(mjtNum) == 8 && sizeof(int) == 4 && sizeof(void*) == 8",
    "mjGEOM_PLANE == 0 && mjGEOM_SPHERE == 2 && mjGEOM_CAPSULE == 3",
    "mjGEOM_ELLIPSOID == 4 && mjGEOM_CYLINDER == 5 && mjGEOM_BOX == 6",
    "sizeof(((mjModel*)0)->geom_rgba[0]) == 4 && sizeof(((mjModel*)0)->mat_rgba[0]) == 4",
    "sizeof(((mjModel*)0)->geom_type[0]) == 4 && sizeof(((mjModel*)0)->geom_matid[0]) == 4",
    "sizeof(((mjModel*)0)->geom_size[0]) == 8 && sizeof(((mjData*)0)->geom_xmat[0]) == 8",
];

/// `model::NQ` → 0, read from the source.
fn written() -> BTreeMap<String, String> {
    let source = include_str!("../../src/ffi/layout.rs");
    let mut module = "";
    let mut constants = BTreeMap::new();
    for line in source.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("pub(crate) mod ") {
            module = rest.trim_end_matches(" {");
        } else if line == "}" {
            module = "";
        } else if let Some(rest) = line.strip_prefix("pub(crate) const ") {
            let (name, rest) = rest.split_once(':').unwrap();
            let value = rest.split_once("= ").unwrap().1.trim_end_matches(';');
            if !module.is_empty() {
                constants.insert(format!("{module}::{name}"), value.to_owned());
            }
        }
    }
    constants
}

#[test]
fn the_offsets_are_those_of_the_headers() {
    // Headers come with the package, so this one is fetched even where a library is given by path.
    let places = esenas_mujoco::Places { library: None, ..esenas_mujoco::Places::from_env() };
    let cache = places.cache.clone().expect("a cache");
    esenas_mujoco::install(places, &mut |line| eprintln!("{line}")).unwrap();
    let written = written();
    let named: Vec<&str> = OFFSETS.iter().map(|(name, _)| *name).collect();
    assert!(written.keys().all(|name| named.contains(&name.as_str())), "{written:?}");
    let mut program = "#include <stddef.h>\n#include <mujoco/mujoco.h>\n".to_owned();
    let offsets = OFFSETS.map(|(name, expression)| format!("{expression} == {}", written[name]));
    for (i, fact) in offsets.iter().map(String::as_str).chain(FACTS).enumerate() {
        program += &format!("_Static_assert({fact}, \"{fact}\"); /* {i} */\n");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("layout.c");
    fs::write(&file, program).unwrap();
    let headers = cache.join("mujoco-2.3.7/include");
    let output = Command::new("cc")
        .args(["-fsyntax-only", "-I"])
        .args([&headers, &file])
        .output()
        .expect("a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
