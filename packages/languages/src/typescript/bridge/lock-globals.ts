/**
 * Loaded first in the module's process if calls are measured. Node has frozen the intrinsics (`--frozen-intrinsics`); this fixes the names
 * by which they are reached and what Node adds. So code under test cannot change the loop that measures it, read requests or write answers.
 */
const { defineProperty, freeze, getOwnPropertyDescriptor } = Object;

for (const name of Object.getOwnPropertyNames(globalThis)) {
  const property = getOwnPropertyDescriptor(globalThis, name);
  const isPlain = property !== undefined && "value" in property;
  // Other accessors load a part of Node when they are first read.
  if (property?.configurable !== true || !(isPlain || name === "process" || name === "Buffer")) continue;
  const value = (globalThis as unknown as Record<string, unknown>)[name];
  defineProperty(globalThis, name, { value, enumerable: property.enumerable === true, writable: false, configurable: false });
}
freeze(Buffer);
freeze(Buffer.prototype);
