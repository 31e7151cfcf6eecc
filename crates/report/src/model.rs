//! Models as pictures, from plain data: whoever knows what a model is hands it over.

use serde_json::Value;

/// A model at a time of the study.
#[derive(Clone, Debug, PartialEq)]
pub struct Portrait {
    /// Which, as `first best: iteration 0`.
    pub title: String,
    /// What it looks like.
    pub picture: Picture,
}

/// What a model looks like.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Vertices and edges.
    Network(Network),
    /// Matrices whose entries belong to classes.
    Partition(Vec<Matrix>),
    /// Anything, decoded.
    Tree(Value),
}

/// Vertices in layers, and the edges that are in use.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// What is written at each vertex, layer by layer: states, hidden units, actions.
    pub layers: Vec<Vec<String>>,
    /// Source, target, weight; vertices are numbered layer by layer. What is pruned is absent.
    pub edges: Vec<(usize, usize, f64)>,
    /// How many edges there could be.
    pub possible: usize,
}

/// A matrix of classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Which, as `states → hidden`.
    pub name: String,
    /// What its rows and columns are.
    pub sides: (String, String),
    /// The class of each entry, row by row.
    pub rows: Vec<Vec<usize>>,
}
