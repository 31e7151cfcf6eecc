//! `bbob`: values and names of the benchmark's functions.

use std::fs::File;

use crate::harness::{Place, Said};

fn values(queries: &str) -> Said {
    let place = Place::new();
    place.write("queries", queries);
    let input = File::open(place.path("queries")).unwrap();
    Said::from(place.command("bbob value").stdin(input).output().unwrap())
}

#[test]
fn a_value_is_printed_for_each_line() {
    let said = values(
        "{\"function\":\"Sphere\",\"x\":[3,4]}\n\n\
         {\"function\":\"Sphere\",\"x\":[0.1,0],\"mode\":\"raw\",\"r\":[[1,0],[0,1]]}\n",
    );
    assert_eq!((said.code, &*said.out, &*said.err), (0, "25.0\n0.010000000000000002\n", ""));
}

#[test]
fn a_line_that_is_no_query_is_named() {
    let said = values("{\"function\":\"Sphere\",\"x\":[1]}\n{\"function\":\"Spere\",\"x\":[1]}\n");
    assert_eq!((said.code, &*said.out), (2, "1.0\n"));
    assert!(said.err.contains("line 2") && said.err.contains("`Sphere`"), "{}", said.err);
}

#[test]
fn all_functions_are_listed() {
    let listed = Place::new().ok("bbob list");
    assert_eq!(listed.lines().count(), 1 + 19, "{listed}");
    assert!(listed.contains("Gallagher101") && listed.contains("SchaffersF7IllConditioned"));
}
