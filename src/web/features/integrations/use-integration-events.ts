import { useLive } from "../../platform/live.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";

/** Calls `reload` soon after each message of the integration. */
export function useIntegrationEvents(integrationId: string, reload: () => void): void {
  const reloadSoon = useCoalesced(reload);
  useLive({ topics: ["events"] }, (message) => {
    if (message.type === "snapshot") reloadSoon();
    else if (message.topic === "events" && message.event === "integration")
      if (message.integrationId === integrationId) reloadSoon();
  });
}
