//! HTML of the server: the list, and one study or several. Every word of a study goes through
//! [`escape`](esenas_report::page::escape) or, in an address, through `encode`.

pub(crate) mod differences;
pub(crate) mod list;
pub(crate) mod study;

use std::hash::{DefaultHasher, Hash, Hasher};

use esenas_report::page::escape;

/// A page around its header and its content, which the script asks for anew at `live`.
fn page(title: &str, header: &str, (live, revision): (&str, u64), content: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"/icon.svg\">\n\
         <link rel=\"stylesheet\" href=\"/view.css\">\n\
         <script src=\"/view.js\" defer></script>\n</head>\n<body>\n\
         <header>{header}<span id=\"pulse\" role=\"status\"></span></header>\n\
         <main data-live=\"{live}\" data-revision=\"{revision}\">\n{content}</main>\n</body>\n</html>\n",
        title = escape(title),
        live = escape(live),
    )
}

/// Something that differs when `text` does.
pub(crate) fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
