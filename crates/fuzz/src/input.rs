//! Input as a list of small decisions: any bytes mean something.

/// Reads decisions from the front; zeros where the bytes end.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(it, rest)| (*it, rest));
        self.0 = rest;
        first
    }

    /// Below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let wide = if end > 256 { 4 } else { 1 };
        (0..wide).fold(0, |sum, _| 256 * sum + self.byte() as usize) % end
    }

    pub(crate) fn bits(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// So many bytes as the next says.
    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        let len = usize::from(self.byte());
        let (bytes, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        bytes
    }

    pub(crate) fn text(&mut self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// An awkward number, or any.
    pub(crate) fn number(&mut self) -> f64 {
        match self.byte() % 8 {
            0 => f64::INFINITY,
            1 => f64::NEG_INFINITY,
            2 => f64::MAX,
            3 => 5e-324,
            4 => -0.0,
            5 => f64::from(self.byte()),
            _ => f64::from_bits(self.bits()),
        }
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }
}
