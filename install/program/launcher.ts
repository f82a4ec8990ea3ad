/**
 * The launcher: the one program that hosts name. A plain POSIX script without external commands,
 * because a host may start it with an empty environment and a bare PATH.
 *
 * @module
 */
import type { HookPart, HostManifest } from "../../lib/manifest.ts";
import { bundleFlags, HOOK_V8_FLAGS, MCP_V8_FLAGS } from "../../lib/runtime/permissions.ts";

/** `text` as one word for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const WRITE = "\0write";
const RUN = "\0run";

/** The flags of a bundle as shell words; the two that name a path use the script's variables. */
function flagWords(): string {
  return bundleFlags(WRITE, RUN).map((flag) =>
    flag.endsWith(WRITE) ? '"$ova_write"' : flag.endsWith(RUN) ? '"$ova_run"' : flag
  ).join(" ");
}

/** The shell's choice of a hook's bundle by host and event. */
function hookCases(manifests: readonly HostManifest[]): string {
  const lines: string[] = [];
  const add = (pattern: string, id: string, part: HookPart) =>
    lines.push(`    ${pattern}) ova_entry=hook-${id}-${part}.js ;;`);
  for (const { id, hookEvents } of manifests) {
    for (const part of ["guard", "prompt", "start"] as const) {
      const events = hookEvents[part] ?? [];
      if (events.length > 0) add(events.map((event) => `${id}/${event}`).join(" | "), id, part);
    }
    if (hookEvents.write !== undefined) add(`${id}/*`, id, "write");
  }
  return lines.join("\n");
}

/**
 * The launcher's text for an agent home.
 *
 * It reads the pointer file `current` (two lines: folder of the program, folder of the runtime) and
 * replaces itself by the runtime. Hook of a known host: that host's bundle for the event, with the
 * event as its first argument; `mcp`: the MCP bundle with what follows; everything else, a hook of an unknown host
 * included: the command line with everything. On the hook path whatever is missing ends silently
 * with 0, because a hook must never fail its host.
 *
 * @param home Absolute path without links: Deno compares permissions with the real path.
 */
export function launcherText(home: string, manifests: readonly HostManifest[]): string {
  const flags = flagWords();
  return `#!/bin/sh
# Starts the version of openviking-agent that the file \`current\` names. Written by install.
ova_home=${quoteForShell(home)}
ova_program=
ova_runtime=
if [ -r "$ova_home/current" ]; then
  {
    read -r ova_program
    read -r ova_runtime
  } <"$ova_home/current"
fi
ova_deno=$ova_home/runtime/$ova_runtime/deno
ova_code=$ova_home/versions/$ova_program
if [ -z "$ova_program" ] || [ ! -x "$ova_deno" ] || [ ! -f "$ova_code/cli.js" ]; then
  [ "$1" = hook ] && exit 0
  echo "openviking-agent: nothing that runs is installed in $ova_home; run install again" >&2
  exit 1
fi
: "\${OPENVIKING_AGENT_HOME:=$ova_home}"
case $OPENVIKING_AGENT_HOME in
  "~/"*) OPENVIKING_AGENT_HOME=$HOME/\${OPENVIKING_AGENT_HOME#"~/"} ;;
esac
# A server on this machine is never reached through a proxy.
NO_PROXY=\${NO_PROXY:-$no_proxy}
NO_PROXY=\${NO_PROXY:+$NO_PROXY,}localhost,127.0.0.1,::1
DENO_DIR=$ova_home/cache
DENO_NO_UPDATE_CHECK=1
export OPENVIKING_AGENT_HOME DENO_DIR DENO_NO_UPDATE_CHECK NO_PROXY
# A permission list is split at commas and knows no escape: a path with one needs the open form.
ova_write=--allow-write=$OPENVIKING_AGENT_HOME
ova_run=--allow-run=$ova_deno
case $ova_write in *,*) ova_write=--allow-write ;; esac
case $ova_run in *,*) ova_run=--allow-run ;; esac
if [ "$1" = hook ]; then
  ova_entry=
  case $2/$3 in
${hookCases(manifests)}
  esac
  if [ -n "$ova_entry" ] && [ -f "$ova_code/$ova_entry" ]; then
    shift 2
    exec "$ova_deno" run ${flags} ${HOOK_V8_FLAGS} "$ova_code/$ova_entry" "$@"
  fi
fi
if [ "$1" = mcp ] && [ -f "$ova_code/mcp.js" ]; then
  shift
  exec "$ova_deno" run ${flags} ${MCP_V8_FLAGS} "$ova_code/mcp.js" "$@"
fi
exec "$ova_deno" run --no-config --no-lock --no-remote --no-npm --no-prompt --quiet -A "$ova_code/cli.js" "$@"
`;
}
