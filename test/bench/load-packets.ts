/** Timestamp of a load's first message; the following count up from it. */
export const FIRST_TS = 1_700_000_000_000;

/** A UTF-8 text with its length before it (MQTT 3.1.1, 1.5.3). */
export const mqttText = (value: string): number[] => [
  value.length >> 8,
  value.length & 255,
  ...Buffer.from(value),
];

/** A PUBLISH of three keys, as a small sensor sends them; the numbers differ from message to message, the length does not. */
export function publishPacket(topic: string, qos: number, index: number): Buffer {
  const values = `{"temperature":${(20 + (index % 97) / 10).toFixed(1)},"humidity":${(40 + (index % 53) / 10).toFixed(1)},"power":${1000 + (index % 211)}}`;
  const payload = Buffer.from(`{"ts":${FIRST_TS},"values":${values}}`);
  const head = [...mqttText(topic), ...(qos > 0 ? [0, 1] : [])];
  const length = head.length + payload.length;
  const lengthBytes = length < 128 ? [length] : [(length & 127) | 128, length >> 7];
  return Buffer.from([0x30 | (qos << 1), ...lengthBytes, ...head, ...payload]);
}
