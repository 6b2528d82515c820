/** Codec of an integration for some devices; one network server carries many kinds. */
export interface CodecUse {
  readonly codecId: string;
  /** The network's device profile, or the device's type here; without it the codec is for all that no other names. */
  readonly deviceType?: string | undefined;
}
