/** Counters of the MQTT server since its start. */
export interface Counters {
  messagesIn: number;
  messagesOut: number;
  bytesIn: number;
  refusedConnections: number;
  protocolErrors: number;
}

export const noCounts = (): Counters => ({
  messagesIn: 0,
  messagesOut: 0,
  bytesIn: 0,
  refusedConnections: 0,
  protocolErrors: 0,
});
