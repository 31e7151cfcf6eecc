//! The forms in which a policy is taken elsewhere, by the end of a file's name.

use std::path::Path;

use esenas_control::Document;
use esenas_control::export::{ExportError, Precision, c_header, onnx, safetensors};

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The document itself: `.json`
    Json,
    /// One header of C: `.h`
    C(Precision),
    /// `.onnx`
    Onnx,
    /// `.safetensors`
    Safetensors,
}

impl Form {
    /// The form of a file of this name, or what would do. A precision is for C alone.
    pub fn of(path: &Path, precision: Option<Precision>) -> Result<Self, String> {
        let extension = path.extension().and_then(|it| it.to_str());
        let form = match extension {
            Some("json") => Self::Json,
            Some("h") => Self::C(precision.unwrap_or_default()),
            Some("onnx") => Self::Onnx,
            Some("safetensors") => Self::Safetensors,
            _ => {
                let accepted = "end its name in .json, .h (C), .onnx or .safetensors";
                return Err(format!("{}: unknown format; {accepted}", path.display()));
            }
        };
        match (form, precision) {
            (Self::C(_), _) | (_, None) => Ok(form),
            (_, Some(_)) => {
                Err(format!("{}: a precision can be chosen for C (.h) alone", path.display()))
            }
        }
    }

    /// The bytes of a file.
    pub fn write(self, document: &Document) -> Result<Vec<u8>, ExportError> {
        match self {
            Self::Json => {
                let value = serde_json::to_value(document);
                let value = value.map_err(|error| ExportError::Document(error.to_string()))?;
                Ok(format!("{value}\n").into_bytes())
            }
            Self::C(precision) => c_header(document, precision).map(String::into_bytes),
            Self::Onnx => Ok(onnx(document)),
            Self::Safetensors => Ok(safetensors(document)),
        }
    }
}
