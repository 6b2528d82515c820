/** What a tenant's plan allows; null means no limit. */
export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly whitelabelEnabled: boolean;
  readonly limits: {
    readonly devices: number | null;
    readonly users: number | null;
    readonly retentionDays: number | null;
    readonly messagesPerSecond: number | null;
  };
}

/** The built-in plans: `onprem` is what the owner of a gateway gets. */
export const plans: readonly Plan[] = [
  {
    id: "basic",
    name: "Basic",
    whitelabelEnabled: false,
    limits: { devices: 100, users: 10, retentionDays: 365, messagesPerSecond: 100 },
  },
  {
    id: "onprem",
    name: "On-premises",
    whitelabelEnabled: true,
    limits: { devices: null, users: null, retentionDays: null, messagesPerSecond: null },
  },
];

/** A tenant whose plan is gone from the list is not cut short: it has the unlimited one. */
export const planOf = (planName: string): Plan =>
  plans.find(({ id }) => id === planName) ?? (plans[plans.length - 1] as Plan); // the list is not empty
