import { ListChecks } from "lucide-preact";
import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../button.tsx";
import { useDismiss } from "../use-dismiss.ts";

const SEARCH_FROM = 9;

interface Props {
  readonly keys: readonly string[];
  readonly selected: readonly string[];
  readonly nameOf: (key: string) => string;
  readonly onSelect: (keys: string[]) => void;
}

export function KeyPicker({ keys, selected, nameOf, onSelect }: Props) {
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState("");
  const root = useDismiss(open, () => setOpen(false));
  const toggle = (key: string) =>
    onSelect(selected.includes(key) ? selected.filter((k) => k !== key) : [...selected, key]);
  const isFound = (text: string) => text.toLowerCase().includes(search.toLowerCase());
  const shown = keys.filter((key) => isFound(key) || isFound(nameOf(key)));
  return (
    <div class="relative" ref={root}>
      <Button icon={ListChecks} size={15} aria-expanded={open} onClick={() => setOpen(!open)}>
        {t("data.keys", { selected: selected.length, all: keys.length })}
      </Button>
      {open && (
        <div class="panel absolute left-0 z-30 mt-2 flex max-h-80 w-72 max-w-[calc(100vw-2rem)] flex-col gap-2 p-3 shadow-xl">
          {keys.length >= SEARCH_FROM && (
            <input
              type="search"
              class="input input-sm w-full flex-none"
              placeholder={t("data.searchKeys")}
              aria-label={t("data.searchKeys")}
              value={search}
              onInput={(e) => setSearch(e.currentTarget.value)}
            />
          )}
          <div class="flex flex-none gap-2">
            <button type="button" class="btn btn-xs" onClick={() => onSelect(shown)}>
              {t("common.all")}
            </button>
            <button type="button" class="btn btn-xs" onClick={() => onSelect([])}>
              {t("data.noneOfThem")}
            </button>
          </div>
          <div class="min-h-0 overflow-y-auto">
            {shown.map((key) => (
              <label
                key={key}
                class="flex cursor-pointer items-center gap-3 rounded-field px-2 py-1.5 hover:bg-base-200"
              >
                <input
                  type="checkbox"
                  class="checkbox checkbox-sm"
                  checked={selected.includes(key)}
                  onChange={() => toggle(key)}
                />
                <span class="min-w-0 break-words" title={key}>
                  {nameOf(key)}
                </span>
              </label>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
