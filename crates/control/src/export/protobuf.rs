//! As much of the wire format of Protocol Buffers as a model of ONNX takes.

/// A message that is being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(pub(super) Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// An integer.
    pub(super) fn int(mut self, field: u32, value: u64) -> Self {
        self.varint(u64::from(field) << 3);
        self.varint(value);
        self
    }

    /// Text or bytes.
    pub(super) fn bytes(mut self, field: u32, content: impl AsRef<[u8]>) -> Self {
        let content = content.as_ref();
        self.varint(u64::from(field) << 3 | 2);
        self.varint(content.len() as u64);
        self.0.extend_from_slice(content);
        self
    }

    /// Another message.
    pub(super) fn message(self, field: u32, inner: &Self) -> Self {
        self.bytes(field, &inner.0)
    }
}
