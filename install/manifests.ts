/**
 * The manifests of every host this version can install.
 *
 * @module
 */
import type { HostManifest } from "../lib/manifest.ts";
import { claudeCodeManifest } from "../hosts/claude_code/manifest.ts";

/** Manifests in the order they are offered. */
export const MANIFESTS: readonly HostManifest[] = [claudeCodeManifest];
