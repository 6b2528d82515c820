import type { BriefIntegration, Integration } from "../integrations.resource.ts";
import type { IntegrationType } from "../integrations.types.ts";

export const isRunning = ({ status }: Pick<Integration, "status">) =>
  status === "active" || status === "error";

export function oldestRunning(
  integrations: readonly BriefIntegration[],
  type: IntegrationType,
): BriefIntegration | undefined {
  const running = integrations.filter((integration) => integration.type === type && isRunning(integration));
  // Ids grow with time, also within a millisecond.
  return running.toSorted(
    (a, b) => a.createdAt - b.createdAt || (a.integrationId < b.integrationId ? -1 : 1),
  )[0];
}
