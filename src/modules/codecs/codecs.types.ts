/** Codec of an integration for some devices; a network server has many kinds. */
export interface CodecUse {
  readonly codecId: string;
  /** Device profile in the network, or device type here; without it, the codec is for all devices not named by another. */
  readonly deviceType?: string | undefined;
}
