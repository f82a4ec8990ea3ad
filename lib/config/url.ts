/**
 * Normal form of a server's URL, so that two spellings of one address are one.
 *
 * @module
 */

/** A URL in normal form, or why the text is none that can be used. */
export type NormalUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly why: string };

/**
 * Scheme and host in lower case, without default port, query, fragment and trailing slashes. Only
 * `http` and `https`, and no user name or password: `fetch` refuses those, and they would end up in logs.
 */
export function normaliseUrl(text: string): NormalUrl {
  const trimmed = text.trim();
  const scheme = trimmed.slice(0, trimmed.indexOf("//") + 2).toLowerCase();
  if ((scheme !== "http://" && scheme !== "https://") || trimmed[scheme.length] === "/") {
    return { ok: false, why: "it does not begin with http:// or https:// and a host" };
  }
  let url: URL;
  try {
    url = new URL(trimmed);
  } catch {
    return { ok: false, why: "it is no URL" };
  }
  if (url.username !== "" || url.password !== "") {
    return { ok: false, why: "it holds a user name or password; use an API key" };
  }
  return { ok: true, url: withoutTrailingSlashes(`${url.protocol}//${url.host}${url.pathname}`) };
}

/** Cut by hand: this runs at every hook, where the first use of a regular expression costs more. */
function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end--;
  return text.slice(0, end);
}

/** A URL as a message may show it: without user name, password and query, cut short. */
export function maskUrl(text: string): string {
  return text.slice(0, 200).replace(/\/\/[^/]*@/, "//****@").replace(/[?#].*$/s, "");
}

/** True when both URLs, in normal form, have the same scheme, host and port. */
export function isSameOrigin(a: string, b: string): boolean {
  const origin = (url: string) => url.split("/", 3).join("/");
  return origin(a) === origin(b);
}
