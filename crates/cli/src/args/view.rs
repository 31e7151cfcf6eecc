//! `view`

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::{Args, ValueHint};

/// `view`
#[derive(Debug, Args)]
pub struct View {
    /// A folder of run directories, or one of them
    #[arg(value_name = "DIR", default_value = "runs", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// The port [default: any that is free]
    #[arg(long, short, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// The address to listen on. Others than the loopback let other machines in, with a token
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub bind: IpAddr,
    /// The token that is asked for [default: a random one, unless on the loopback]
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
}
