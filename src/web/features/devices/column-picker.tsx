import { Columns3 } from "lucide-preact";
import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { resolveKeys } from "../../platform/key-metadata.ts";
import { useResource } from "../../platform/resource.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { useDismiss } from "../../ui/use-dismiss.ts";
import {
  COLUMNS_MAX,
  type ColumnId,
  FIXED_COLUMNS,
  keyOfColumn,
  selectColumns,
  selectedColumns,
} from "./device-columns.ts";
import { devicesApi } from "./devices-api.ts";

const KEYS_SHOWN = 100;
/** Max. devices whose profiles are read for key names. */
const DEVICES_READ = 500;

async function loadKeyNames(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await devicesApi.list({ limit: DEVICES_READ, offset: 0 });
  const { profiles } = await resolveKeys(rows.map(({ deviceId }) => deviceId));
  return new Map(
    profiles.flatMap(({ keyMetadata }) =>
      keyMetadata.flatMap(({ key, name }): [string, string][] => (name ? [[key, name]] : [])),
    ),
  );
}

export function ColumnPicker() {
  const [isOpen, setOpen] = useState(false);
  const root = useDismiss(isOpen, () => setOpen(false));
  return (
    <div class="relative max-sm:hidden" ref={root}>
      <Button icon={Columns3} size={15} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t("columns.open")}
      </Button>
      {isOpen && <Panel />}
    </div>
  );
}

function Panel() {
  const [search, setSearch] = useState("");
  const keys = useResource(devicesApi.telemetryKeys, []);
  const keyNames = useResource(loadKeyNames, []).data;
  const selected = selectedColumns();
  const isFull = selected.length >= COLUMNS_MAX;
  const set = (id: ColumnId, on: boolean) =>
    selectColumns(on ? [...selected, id] : selected.filter((other) => other !== id));
  const option = (id: ColumnId, text: string, key?: string) => (
    <Checkbox
      key={id}
      checked={selected.includes(id)}
      disabled={isFull && !selected.includes(id)}
      onCheck={(on) => set(id, on)}
    >
      <span class="min-w-0 break-words">
        {text} {key !== undefined && key !== text && <span class="reading text-xs text-soft">{key}</span>}
      </span>
    </Checkbox>
  );
  const names = [...new Set([...selected.flatMap((id) => keyOfColumn(id) ?? []), ...(keys.data ?? [])])];
  const nameOf = (key: string) => keyNames?.get(key) ?? key;
  const found = names.filter((key) =>
    `${key} ${nameOf(key)}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  return (
    <div class="panel absolute right-0 z-30 mt-2 flex max-h-[70dvh] w-72 flex-col gap-3 overflow-y-auto p-3 shadow-xl">
      <fieldset class="flex flex-col gap-2">
        <legend class="panel-label mb-2">{t("columns.open")}</legend>
        {FIXED_COLUMNS.map((id) => option(id, t(`column.${id}`)))}
      </fieldset>
      <fieldset class="flex flex-col gap-2">
        <legend class="panel-label mb-2">{t("common.newestValues")}</legend>
        <input
          type="search"
          class="input input-sm w-full"
          placeholder={t("columns.searchKeys")}
          aria-label={t("columns.searchKeys")}
          value={search}
          onInput={(e) => setSearch(e.currentTarget.value)}
        />
        <Loaded of={keys} />
        {found.slice(0, KEYS_SHOWN).map((key) => option(`key:${key}`, nameOf(key), key))}
      </fieldset>
      <button type="button" class="btn btn-sm" onClick={() => selectColumns(undefined)}>
        {t("columns.reset")}
      </button>
    </div>
  );
}
