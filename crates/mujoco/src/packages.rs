//! What is fetched: registry packages by name, pinned version and hash, and the files in them.
//!
//! MuJoCo 2.3.7 and no other: 3.0 changed the contact weights of sliding bodies (Pusher's arm
//! passes through its object) and 3.5 the contact margins (Striker's goal is kicked off its table).
//! The models are those of Gymnasium 1.4.0, and of gym 0.17.3 for the two tasks that Gymnasium
//! dropped.

/// The release of MuJoCo that is meant everywhere.
pub const VERSION: &str = "2.3.7";

/// The name of the library in its package and in the cache.
pub(crate) const LIBRARY: &str = "libmujoco.so.2.3.7";

/// A package of the registry.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// The archive's SHA-256.
    pub(crate) sha256: &'static str,
    pub(crate) kind: Kind,
    /// The files in it that are used.
    pub(crate) files: &'static [File],
    /// What else is kept: folders or files, as (in the archive, in the cache).
    pub(crate) kept: &'static [(&'static str, &'static str)],
}

/// How a package is packed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A wheel for one platform, in pip's words.
    Platform(&'static str),
    /// A wheel for all.
    Wheel,
    /// A source distribution.
    Source,
}

/// A file that is used.
pub(crate) struct File {
    /// Where it lies in the archive.
    pub(crate) inside: &'static str,
    /// What it is called in the cache.
    pub(crate) name: &'static str,
    pub(crate) sha256: &'static str,
}

impl Package {
    /// `mujoco 2.3.7`
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// The folder in the cache: `mujoco-2.3.7`.
    pub(crate) fn folder(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// The file called `name` in the cache.
    pub(crate) fn file(&self, name: &str) -> Option<&'static File> {
        self.files.iter().find(|file| file.name == name)
    }
}

macro_rules! mujoco {
    ($platform:literal, $wheel:literal, $library:literal) => {
        Package {
            name: "mujoco",
            version: VERSION,
            sha256: $wheel,
            kind: Kind::Platform($platform),
            files: &[File { inside: "mujoco/libmujoco.so.2.3.7", name: LIBRARY, sha256: $library }],
            kept: &[
                ("mujoco/include/mujoco/", "include/mujoco/"),
                ("mujoco-2.3.7.dist-info/LICENSE", "LICENSE"),
                ("mujoco-2.3.7.dist-info/LICENSES_THIRD_PARTY.md", "LICENSES_THIRD_PARTY.md"),
            ],
        }
    };
}

static X86_64: Package = mujoco!(
    "manylinux2014_x86_64",
    "426af8965f8636d94a0f75740c3024a62b3e585020ee817ef5208ec844a1ad94",
    "a82e1280ec6a72a309135202aff5f7a2ee71fc1eb69c719ac9bbf30ce7b9ef0e"
);

static AARCH64: Package = mujoco!(
    "manylinux2014_aarch64",
    "c08660a8d52ef3efde76095f0991e807703a950c1e882d2bcd984b9a846626f7",
    "5b0c7dd9afc55c0a6431e649cf737cc94549181678a12c433763cd6dd971fe9d"
);

/// The package of the library for this machine, if there is one.
pub(crate) fn library() -> Option<&'static Package> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some(&X86_64),
        ("linux", "aarch64") => Some(&AARCH64),
        _ => None,
    }
}

macro_rules! models {
    ($folder:literal, $($name:literal $sha256:literal)*) => {
        &[$(File { inside: concat!($folder, $name), name: $name, sha256: $sha256 }),*]
    };
}

/// Six models, two of them in two versions.
pub(crate) static GYMNASIUM: Package = Package {
    name: "gymnasium",
    version: "1.4.0",
    sha256: "1cb947c59e7c72d8eabb2c2274c00cd20948e69f8452a9ef4092223be24fdf0e",
    kind: Kind::Wheel,
    files: models!("gymnasium/envs/mujoco/assets/",
        "half_cheetah.xml" "11797a5d69e8ac955e89ca6fdd3a0087f1c990094fda401ac51420de1b6c5494"
        "hopper.xml" "3ce93a055ffdcd83c0c701d2400768e40d2cbb9532f3c4ae33377c27f8b39f9e"
        "walker2d.xml" "ac13373c7ac9003a5311c4704b314ed11149b3dd7600bbc02770487300f9ad2d"
        "walker2d_v5.xml" "6bed53a6cc3ca73c4fe8ac3486d3b4228927264a6454f4ef16d3eed3c58bc09d"
        "swimmer.xml" "25b0d46bf5522920fea6a579353aee39d391ad9e2a0574b53f83704c11b21b12"
        "reacher.xml" "3fabc64fc738326485a8231a9a649f784090a0c3d8215f8d2ccd6038b8e60cc4"
        "pusher.xml" "561fb1a4f254afbbcdaf44b980aeaeb1a77ed67773f5f4d1653ecf2e1457dff5"
        "pusher_v5.xml" "3c9a717f6d2cecd555ab9b78694dba71019fa233230c68c8197ebb07d6713879"
    ),
    kept: &[("gymnasium-1.4.0.dist-info/licenses/LICENSE", "LICENSE")],
};

/// The two models that Gymnasium dropped.
pub(crate) static GYM: Package = Package {
    name: "gym",
    version: "0.17.3",
    sha256: "96a7dd4e9cdb39e30c7a79e5773570fd9408f7fdb58c714c293cfbb314818eb6",
    kind: Kind::Source,
    files: models!("gym-0.17.3/gym/envs/mujoco/assets/",
        "striker.xml" "ed7e4c0be909e72e72321363acdca7c6be8cfe8cd80066014337c3f63dae94de"
        "thrower.xml" "bf854ec08593f9793dfbaf9fea3038143abe3b9182a37e6af896061c928f9564"
    ),
    kept: &[("gym-0.17.3/PKG-INFO", "PKG-INFO"), ("gym-0.17.3/README.rst", "README.rst")],
};
