/**
 * Asks a person whether to go on.
 *
 * @module
 */

/** True when the person on the terminal said yes. */
export async function askConsent(message: string): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  return await confirm({ message }) === true;
}
