/** One of many ways to spoil a message: a byte, a bit, an end, a part twice, a field of ones. */
export function mutate(bytes: Uint8Array, random: () => number): Uint8Array {
  const mutated = Uint8Array.from(bytes);
  const index = Math.floor(random() * mutated.length);
  const kind = random();
  if (kind < 0.3) mutated[index] = Math.floor(random() * 256);
  else if (kind < 0.5) mutated[index] = (mutated[index] ?? 0) ^ (1 << Math.floor(random() * 8));
  else if (kind < 0.65) return mutated.subarray(0, index);
  else if (kind < 0.8)
    return Buffer.concat([mutated.subarray(0, index), mutated.subarray(Math.floor(random() * index))]);
  else if (kind < 0.9) mutated.fill(255, index, index + 4);
  return mutated;
}
