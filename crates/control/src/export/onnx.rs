//! A policy as a model of ONNX: `observation`, an array of (N, |S|), to `action`, of (N, |A|), in
//! single precision. Discrete policies also say the number of the `choice`.
//!
//! Hidden units that have no edges between them are one layer; within it, those of one function are
//! one matrix product of all that came before.

use super::protobuf::Message;
use crate::policy::Activation;
use crate::{Document, Outputs};

const FLOAT: u64 = 1;
const INT64: u64 = 7;

/// The bytes of a model.
pub fn onnx(document: &Document) -> Vec<u8> {
    let mut graph = Graph::default();
    let sizes = [document.observation as u64];
    let mean = graph.floats("mean", &sizes, &document.normalizer.mean);
    let scale = graph.floats("scale", &sizes, &document.normalizer.scale);
    let centred = graph.node("Sub", &["observation", &mean]);
    let mut values = graph.node("Mul", &[&centred, &scale]);
    // The vertices that the columns of `values` are.
    let mut order: Vec<usize> = (0..document.observation).collect();
    for layer in layers(document) {
        let mut parts = vec![values];
        for kind in Activation::ALL {
            let units: Vec<usize> =
                layer.clone().filter(|unit| kind_of(document, *unit) == kind).collect();
            if !units.is_empty() {
                let sums = graph.sums(document, &parts[0], &order[..], &units);
                parts.push(graph.activated(kind, sums));
            }
        }
        let sorted = Activation::ALL
            .iter()
            .flat_map(|kind| layer.clone().filter(|unit| kind_of(document, *unit) == *kind));
        order.extend(sorted);
        let names: Vec<&str> = parts.iter().map(String::as_str).collect();
        values = graph.concatenated(&names);
    }
    let first = document.observation + document.hidden;
    let outputs: Vec<usize> = (first..first + document.action).collect();
    let sums = graph.sums(document, &values, &order, &outputs);
    let mut action = graph.node("Tanh", &[&sums]);
    if let Some((low, high)) = document.limits() {
        let sizes = [document.action as u64];
        let pairs = || low.iter().zip(high);
        let half: Vec<f64> = pairs().map(|(low, high)| 0.5 * (high - low)).collect();
        let middle: Vec<f64> = pairs().map(|(low, high)| 0.5 * (low + high)).collect();
        let (half, middle) =
            (graph.floats("half", &sizes, &half), graph.floats("middle", &sizes, &middle));
        let stretched = graph.node("Mul", &[&action, &half]);
        action = graph.node("Add", &[&stretched, &middle]);
    }
    graph.named("Identity", &[&action], "action", None);
    let is_discrete = matches!(document.actions, Outputs::Greedy | Outputs::Sampled);
    if is_discrete {
        let axis = [integer("axis", 1), integer("keepdims", 0)];
        graph.named("ArgMax", &[&action], "choice", Some(&axis));
    }
    graph.model(document, is_discrete)
}

fn kind_of(document: &Document, unit: usize) -> Activation {
    document.nonlinearities[unit - document.observation]
}

/// The hidden units, cut where one has a source among those since the last cut.
fn layers(document: &Document) -> Vec<std::ops::Range<usize>> {
    let (first, end) = (document.observation, document.observation + document.hidden);
    let mut last = vec![0; document.hidden];
    for (source, target, _) in &document.edges {
        if let Some(last) = target.checked_sub(first).and_then(|at| last.get_mut(at)) {
            *last = (*last).max(*source);
        }
    }
    let (mut layers, mut start) = (Vec::new(), first);
    for unit in first..end {
        if last[unit - first] >= start && unit > start {
            layers.push(start..unit);
            start = unit;
        }
    }
    layers.push(start..end);
    layers.retain(|layer| !layer.is_empty());
    layers
}

/// A graph that is being written.
#[derive(Default)]
struct Graph {
    nodes: Vec<Message>,
    tensors: Vec<Message>,
    names: usize,
}

fn integer(name: &str, value: u64) -> Message {
    Message::default().bytes(1, name).int(3, value).int(20, 2)
}

impl Graph {
    fn name(&mut self, word: &str) -> String {
        self.names += 1;
        format!("{word}_{}", self.names)
    }

    fn floats(&mut self, word: &str, sizes: &[u64], numbers: &[f64]) -> String {
        let name = self.name(word);
        let raw: Vec<u8> = numbers.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
        let tensor = sizes.iter().fold(Message::default(), |tensor, size| tensor.int(1, *size));
        self.tensors.push(tensor.int(2, FLOAT).bytes(8, &name).bytes(9, raw));
        name
    }

    fn named(&mut self, op: &str, inputs: &[&str], output: &str, attributes: Option<&[Message]>) {
        let node = inputs.iter().fold(Message::default(), |node, input| node.bytes(1, input));
        let node = node.bytes(2, output).bytes(4, op);
        let attributes = attributes.unwrap_or_default();
        self.nodes.push(attributes.iter().fold(node, |node, it| node.message(5, it)));
    }

    fn node(&mut self, op: &str, inputs: &[&str]) -> String {
        let output = self.name(&op.to_lowercase());
        self.named(op, inputs, &output, None);
        output
    }

    fn concatenated(&mut self, parts: &[&str]) -> String {
        let output = self.name("values");
        self.named("Concat", parts, &output, Some(&[integer("axis", 1)]));
        output
    }

    /// b + Σ v w of these vertices.
    fn sums(
        &mut self,
        document: &Document,
        values: &str,
        order: &[usize],
        targets: &[usize],
    ) -> String {
        let mut matrix = vec![0.0; order.len() * targets.len()];
        for (source, target, weight) in &document.edges {
            let row = order.iter().position(|vertex| vertex == source);
            let column = targets.iter().position(|vertex| vertex == target);
            if let Some((row, column)) = row.zip(column) {
                matrix[row * targets.len() + column] += weight;
            }
        }
        let sizes = [order.len() as u64, targets.len() as u64];
        let matrix = self.floats("weight", &sizes, &matrix);
        let biases: Vec<f64> =
            targets.iter().map(|vertex| document.biases[vertex - document.observation]).collect();
        let biases = self.floats("bias", &sizes[1..], &biases);
        let product = self.node("MatMul", &[values, &matrix]);
        self.node("Add", &[&product, &biases])
    }

    fn activated(&mut self, kind: Activation, x: String) -> String {
        match kind {
            Activation::Tanh => self.node("Tanh", &[&x]),
            Activation::Relu => self.node("Relu", &[&x]),
            Activation::Exp => self.node("Exp", &[&x]),
            Activation::Identity => x,
            Activation::Sin => self.node("Sin", &[&x]),
            Activation::Sigmoid => self.node("Sigmoid", &[&x]),
            Activation::Absolute => self.node("Abs", &[&x]),
            Activation::Cosine => self.node("Cos", &[&x]),
            Activation::Square => self.node("Mul", &[&x, &x]),
            Activation::Reciprocal => {
                let least = self.floats("least", &[1], &[0.1]);
                let (one, minus) =
                    (self.floats("one", &[1], &[1.0]), self.floats("minus", &[1], &[-1.0]));
                let zero = self.floats("zero", &[1], &[0.0]);
                let (size, is_low) = (self.node("Abs", &[&x]), self.node("Less", &[&x, &zero]));
                let sign = self.node("Where", &[&is_low, &minus, &one]);
                let size = self.node("Max", &[&size, &least]);
                self.node("Div", &[&sign, &size])
            }
            Activation::Step => {
                let (zero, one) =
                    (self.floats("zero", &[1], &[0.0]), self.floats("one", &[1], &[1.0]));
                let is_low = self.node("Less", &[&x, &zero]);
                self.node("Where", &[&is_low, &zero, &one])
            }
        }
    }

    fn model(self, document: &Document, is_discrete: bool) -> Vec<u8> {
        let array = |name: &str, element: u64, columns: Option<usize>| {
            let rows = Message::default().bytes(2, "N");
            let shape = Message::default().message(1, &rows);
            let shape = columns.into_iter().fold(shape, |shape, columns| {
                shape.message(1, &Message::default().int(1, columns as u64))
            });
            let tensor = Message::default().int(1, element).message(2, &shape);
            Message::default().bytes(1, name).message(2, &Message::default().message(1, &tensor))
        };
        let graph = self.nodes.iter().fold(Message::default(), |graph, it| graph.message(1, it));
        let graph = graph.bytes(2, "policy");
        let graph = self.tensors.iter().fold(graph, |graph, it| graph.message(5, it));
        let graph = graph.bytes(10, document.formula.as_str());
        let graph = graph.message(11, &array("observation", FLOAT, Some(document.observation)));
        let mut graph = graph.message(12, &array("action", FLOAT, Some(document.action)));
        if is_discrete {
            graph = graph.message(12, &array("choice", INT64, None));
        }
        let opset = Message::default().bytes(1, "").int(2, 17);
        let model = Message::default().int(1, 8).bytes(2, "esenas");
        model.message(7, &graph).message(8, &opset).0
    }
}
