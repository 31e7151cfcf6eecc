//! All of a policy as named arrays, in the form of safetensors: a header in JSON, then the numbers.

use crate::Document;

/// The bytes of a file.
pub fn safetensors(document: &Document) -> Vec<u8> {
    let column = |of: fn(&(usize, usize, f64)) -> f64| -> Vec<f64> {
        document.edges.iter().map(of).collect()
    };
    let kinds = document.nonlinearities.iter();
    let tensors: [(&str, Vec<f64>); 7] = [
        ("biases", document.biases.clone()),
        ("edge.source", column(|edge| edge.0 as f64)),
        ("edge.target", column(|edge| edge.1 as f64)),
        ("edge.weight", column(|edge| edge.2)),
        ("hidden.nonlinearity", kinds.map(|kind| kind.number() as f64).collect()),
        ("normalizer.mean", document.normalizer.mean.clone()),
        ("normalizer.scale", document.normalizer.scale.clone()),
    ];
    let (mut header, mut at) = (String::from("{\"__metadata__\":{"), 0);
    header.push_str(&format!(
        "\"format\":\"{}\",\"observation\":\"{}\",\"hidden\":\"{}\",\"action\":\"{}\"}}",
        document.format, document.observation, document.hidden, document.action
    ));
    for (name, numbers) in &tensors {
        let (start, end) = (at, at + 8 * numbers.len());
        header.push_str(&format!(
            ",\"{name}\":{{\"dtype\":\"F64\",\"shape\":[{}],\"data_offsets\":[{start},{end}]}}",
            numbers.len()
        ));
        at = end;
    }
    header.push('}');
    let padded = header.len().next_multiple_of(8);
    let mut bytes = (padded as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes().chain(std::iter::repeat(b' ')).take(padded));
    bytes.extend(tensors.iter().flat_map(|(_, numbers)| numbers).flat_map(|x| x.to_le_bytes()));
    bytes
}
