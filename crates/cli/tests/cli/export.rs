//! What is exported is read back here, by readers that know the formats and not the program.

use serde_json::Value;

use crate::harness::Place;
use crate::records::{ITERATIONS, make, theta};

fn place() -> Place {
    let place = Place::new();
    make(&place.path("a"));
    place
}

/// RFC 4180: fields, quoted or not, until the text ends.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => field.extend(characters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            c => field.push(c),
        }
    }
    assert!(row.is_empty() && field.is_empty() && !quoted, "the last line ends");
    rows
}

#[test]
fn csv_reads_back_bit_for_bit() {
    let place = place();
    let rows = csv(&place.ok("export a --format csv"));
    assert_eq!(rows.len() as u64, ITERATIONS + 1);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let at = |row: usize, name: &str| {
        rows[row][rows[0].iter().position(|n| n == name).unwrap()].as_str()
    };
    assert_eq!(at(1, "centre_mean").parse::<f64>().unwrap(), 0.1 + 0.2);
    assert_eq!(at(1, "centre_std").parse::<f64>().unwrap(), 1e-300);
    assert_eq!(at(2, "centre_mean"), "");
    assert_eq!((at(5, "odd"), at(6, "odd")), ("", "5.0"));
    assert_eq!(at(5, "gradient_norm"), "-0.0");
    assert_eq!(at(12, "total_evaluations"), "48");
    assert_eq!(at(3, "entropy, \"nats\""), "0.5");
    let timed = csv(&place.ok("export a --format csv --timings"));
    assert_eq!(timed[0].last().unwrap(), "seconds_store");
    assert_eq!(timed[1].last().unwrap(), "0.125");
}

#[test]
fn evaluations_are_exported_with_their_failures() {
    let place = place();
    place.ok("export a --format csv --rows evaluations --out evaluations.csv");
    let rows = csv(&String::from_utf8(place.bytes("evaluations.csv")).unwrap());
    let header = ["iteration", "index", "role", "dna", "value", "score", "failure", "steps"];
    assert_eq!(rows[0], header);
    assert_eq!(rows.len() as u64, 4 * ITERATIONS + 1);
    assert_eq!(rows[2], ["0", "1", "probe", "[1,300]", "0.1", "", "", "1e300"]);
    let failure = "not finite: the value is NaN,\n\"said\" it";
    assert_eq!(rows[3], ["0", "2", "probe", "[2,300]", "", "", failure, ""]);
    assert_eq!(rows[4][2], "centre");
    let lines = place.ok("export a --format jsonl --rows evaluations");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len() as u64, 4 * ITERATIONS);
    assert_eq!(lines[2]["failure"], failure);
    assert_eq!(lines[1]["metrics"]["steps"], 1e300);
}

#[test]
fn json_lines_are_objects() {
    let lines = place().ok("export a --format jsonl");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len() as u64, ITERATIONS);
    assert_eq!(lines[3]["statistics"]["entropy, \"nats\""], -0.5);
    assert_eq!(lines[3].get("centre_mean"), None);
    assert_eq!(lines[4]["centre_mean"], 0.1 + 0.2);
}

#[test]
fn weights_are_written_raw_as_npy_and_as_safetensors() {
    let place = place();
    let raw: Vec<u8> = theta().iter().flat_map(|x| x.to_le_bytes()).collect();
    place.ok("best a --theta w.f64");
    assert_eq!(place.bytes("w.f64"), raw);

    assert!(place.ok("best a --theta w.npy").contains("written to w.npy"));
    let npy = place.bytes("w.npy");
    assert_eq!(&npy[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    assert!((10 + length).is_multiple_of(64));
    let header = std::str::from_utf8(&npy[10..10 + length]).unwrap();
    assert_eq!(header.trim_end(), "{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }");
    assert!(header.ends_with('\n'));
    assert_eq!(&npy[10 + length..], raw);

    place.ok("best a --json --theta w.safetensors");
    let file = place.bytes("w.safetensors");
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    assert!(length.is_multiple_of(8));
    let header: Value = serde_json::from_slice(&file[8..8 + length]).unwrap();
    let tensor = &header["theta"];
    assert_eq!((tensor["dtype"].as_str(), &tensor["shape"][0]), (Some("F64"), &5.into()));
    assert_eq!(tensor["data_offsets"].to_string(), "[0,40]");
    assert!(header["__metadata__"].as_object().unwrap().values().all(Value::is_string));
    assert_eq!(&file[8 + length..], raw);
}

/// CRC-32C by the table, which the program does not use.
fn masked_crc(data: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256u32)
        .map(|byte| {
            (0..8).fold(byte, |c, _| if c & 1 == 1 { c >> 1 ^ 0x82f6_3b78 } else { c >> 1 })
        })
        .collect();
    let step = |crc: u32, &byte: &u8| crc >> 8 ^ table[((crc ^ u32::from(byte)) & 255) as usize];
    let crc = !data.iter().fold(!0, step);
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// A protobuf message as (field, number or bytes).
fn fields(mut data: &[u8]) -> Vec<(u64, Vec<u8>)> {
    fn varint(data: &mut &[u8]) -> u64 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = data[0];
            *data = &data[1..];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }
    let mut fields = Vec::new();
    while !data.is_empty() {
        let key = varint(&mut data);
        let value = match key & 7 {
            0 => varint(&mut data).to_le_bytes().to_vec(),
            wire => {
                let length = match wire {
                    1 => 8,
                    5 => 4,
                    _ => varint(&mut data) as usize,
                };
                let (value, rest) = data.split_at(length);
                data = rest;
                value.to_vec()
            }
        };
        fields.push((key >> 3, value));
    }
    fields
}

#[test]
fn tensorboard_files_are_records_with_sound_checksums() {
    let place = place();
    let said = place.ok("export a --format tensorboard --out logs");
    let name = "logs/events.out.tfevents.1700000000.esenas";
    assert!(said.starts_with(name), "{said}");
    let file = place.bytes(name);
    let mut rest = &file[..];
    let mut events = Vec::new();
    while !rest.is_empty() {
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
        assert_eq!(number(&rest[8..12]), masked_crc(&rest[..8]));
        let data = &rest[12..12 + length];
        assert_eq!(number(&rest[12 + length..16 + length]), masked_crc(data));
        events.push(fields(data));
        rest = &rest[16 + length..];
    }
    assert_eq!(events.len() as u64, 1 + ITERATIONS);
    assert_eq!(events[0][1], (3, b"brain.Event:2".to_vec()));
    let time = |event: &[(u64, Vec<u8>)]| f64::from_le_bytes(event[0].1[..].try_into().unwrap());
    assert_eq!(time(&events[0]), 1_700_000_000.0);
    assert_eq!(time(&events[3]), 1_700_000_003.0, "an iteration took a second");
    let event = &events[4];
    assert_eq!(event[1], (2, 3u64.to_le_bytes().to_vec()));
    let scalars: Vec<(String, f32)> = fields(&event[2].1)
        .into_iter()
        .map(|(_, value)| {
            let value = fields(&value);
            let tag = String::from_utf8(value[0].1.clone()).unwrap();
            (tag, f32::from_le_bytes(value[1].1[..].try_into().unwrap()))
        })
        .collect();
    assert!(scalars.contains(&("value/mean".to_owned(), 3.0)), "{scalars:?}");
    assert!(scalars.contains(&("search/sigma".to_owned(), 0.25)), "{scalars:?}");
    assert!(scalars.contains(&("search/entropy, \"nats\"".to_owned(), -0.5)), "{scalars:?}");
    place.ok("export a --format tensorboard --out logs");
    assert_eq!(place.bytes(name), file, "the same directory gives the same bytes");
}
