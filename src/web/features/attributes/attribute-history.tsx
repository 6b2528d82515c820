import { History } from "lucide-preact";
import type { Scope } from "../../lib/api-types.ts";
import { formatValue, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { usePages } from "../../platform/resource.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { TimelineItem } from "../../ui/page/timeline.tsx";
import { type AttributeChange, attributesApi } from "./attributes-api.ts";

const SHOWN = 50;

interface Props {
  readonly deviceId: string;
  readonly scope: Scope;
  readonly name: string;
}

/** Values of an attribute with their authors, newest first. New changes appear immediately. */
function AttributeHistory({ deviceId, scope, name }: Props) {
  const list = usePages(
    (limit) => attributesApi.history(deviceId, { scope, key: name, limit }),
    [deviceId, scope, name],
    SHOWN,
  );
  const reloadSoon = useCoalesced(list.reload);
  useLive({ topics: ["attributes"], deviceIds: [deviceId] }, reloadSoon);
  return (
    <ResourceList
      title={t("common.history")}
      isWithin
      list={list}
      icon={History}
      none={[t("changes.none"), t("changes.noneHint")]}
      table={(changes) => (
        <ol class="divide-y divide-base-300" data-testid="attribute-history">
          {changes.map((change) => (
            <ChangeItem key={change.changeId} change={change} />
          ))}
        </ol>
      )}
    />
  );
}

/** A new value of an attribute; with `state` in a list of other entries, with its name. */
export function ChangeItem({ change, state }: { change: AttributeChange; state?: string }) {
  const { key, value, scope, source, by } = change;
  return (
    <TimelineItem at={toMs(change.at) ?? 0} state={state} aside={by ?? t(`changes.by.${source}`)}>
      {state !== undefined && (
        <p>
          <span class="font-medium">{key}</span> <span class="text-sm text-soft">{t(`scope.${scope}`)}</span>
        </p>
      )}
      {value === undefined ? (
        <span class="text-soft">{t("changes.deleted")}</span>
      ) : (
        <span class="reading">{formatValue(value)}</span>
      )}
    </TimelineItem>
  );
}

export function AttributeHistoryDialog(props: Props & { onClose: () => void }) {
  const { onClose, ...of } = props;
  return (
    <Dialog title={t("common.historyOfKey", { key: props.name })} onClose={onClose}>
      <div class="-mx-4 flex max-h-[70vh] flex-col overflow-y-auto">
        <AttributeHistory {...of} />
      </div>
    </Dialog>
  );
}
