/** A file name for any text: safe characters stay, others become `_`, long texts are cut with a checksum. */
export function fileNameOf(text: string): string {
  const safe = text.slice(0, 400).replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
  if (safe === text && safe.length <= 120 && safe !== "") return safe;
  return `${safe.slice(0, 100)}~${checksum(text)}`;
}

/** 32-bit FNV-1a as hex: tells texts apart without keeping them. */
export function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
