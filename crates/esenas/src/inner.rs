//! Settings within settings.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Settings that others hold.
///
/// States keep them too, to build from later. A binary format cannot look ahead for the `kind` of a
/// tagged enum: there they are text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inner<T>(Box<T>);

impl<T: Serialize> Serialize for Inner<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.0.serialize(serializer);
        }
        let text = serde_json::to_string(&self.0).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Inner<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Ok(Self(Box::deserialize(deserializer)?));
        }
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map(Self).map_err(serde::de::Error::custom)
    }
}

impl<T> From<T> for Inner<T> {
    fn from(settings: T) -> Self {
        Self(Box::new(settings))
    }
}

impl<T: Clone> Inner<T> {
    /// A copy of them.
    pub fn get(&self) -> T {
        (*self.0).clone()
    }
}

impl<T> std::ops::Deref for Inner<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Inner<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
