//! Values as the bytes they travel as.
//!
//! Whoever only hands a value on needs none of the code that reads it: the worker's program knows neither the
//! questions that its parts answer nor the answers.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed(Vec<u8>);

impl Packed {
    /// Packs a value.
    ///
    /// # Errors
    /// It cannot be written, in words.
    pub fn of<T: Serialize>(value: &T) -> Result<Self, String> {
        postcard::to_allocvec(value).map(Self).map_err(|error| error.to_string())
    }

    /// The value.
    ///
    /// # Errors
    /// It is none of this type, in words.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        postcard::from_bytes(&self.0).map_err(|error| error.to_string())
    }
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&[u8]>::deserialize(deserializer).map(|bytes| Self(bytes.to_vec()))
    }
}
