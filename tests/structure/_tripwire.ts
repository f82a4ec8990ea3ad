/**
 * Loaded before every module of the product in a process of its own: tells of timers and requests
 * that a module starts while it is imported.
 *
 * @module
 */

const effects = ["setTimeout", "setInterval", "fetch", "queueMicrotask"] as const;

for (const name of effects) {
  Object.defineProperty(globalThis, name, {
    value: () => {
      throw new Error(`Cannot import a module that calls ${name}()`);
    },
  });
}
