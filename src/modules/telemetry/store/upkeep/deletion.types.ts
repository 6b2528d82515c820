/** Deletion as stored in its hot row; applies to all earlier arrivals. */
export interface Deletion {
  readonly device: number;
  /** Guards against a reused device number. */
  readonly deviceId: string;
  readonly tenantId: string;
  /** Key numbers; null means all. */
  readonly keys: readonly number[] | null;
  readonly from: number;
  readonly to: number;
  /** True if the device itself is deleted. */
  readonly drop: boolean;
  /** True if the retention period was over. Readers with their own history are not notified. */
  readonly isRetention: boolean;
}
