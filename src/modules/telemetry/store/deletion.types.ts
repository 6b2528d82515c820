/** A deletion as its hot row keeps it: it applies to everything that arrived before it. */
export interface Deletion {
  readonly device: number;
  /** Guards against a device number that has been given to another device since. */
  readonly deviceId: string;
  readonly tenantId: string;
  /** Key numbers; null means all. */
  readonly keys: readonly number[] | null;
  readonly from: number;
  readonly to: number;
  /** True if the device itself goes. */
  readonly drop: boolean;
  /** True if the values were too old to be kept. Readers that keep their own history are not told. */
  readonly isRetention: boolean;
}
