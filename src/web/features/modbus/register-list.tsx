import { ChevronDown, ChevronRight, Plus, X } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { isBitArea, REGISTERS_MAX } from "../../../lib/modbus/modbus-lists.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import type { EntryListProps } from "../field/entry-list.tsx";
import { draftOf, problemsOf, type RegisterDraft, wrongOf } from "./register-draft.ts";
import { RegisterFields } from "./register-fields.tsx";

const idsOf = (registers: readonly RegisterDraft[]) => new Set(registers.map(({ id }) => id));

/** Registers of a unit, each on a line that expands to its fields. */
export function RegisterList({ entries: registers, attempts, onChange }: EntryListProps<RegisterDraft>) {
  /** Ids of the expanded rows: initially registers without a name. */
  const [open, onOpen] = useState<ReadonlySet<number>>(() =>
    idsOf(registers.filter(({ key }) => key === "")),
  );
  useEffect(() => {
    if (attempts > 0) onOpen(open.union(idsOf(wrongOf(registers))));
  }, [attempts]);
  const toggle = (id: number) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    onOpen(next);
  };
  const add = () => {
    const last = registers.at(-1);
    const draft = draftOf({ area: last?.area ?? "HOLDING_REGISTER", type: last?.type ?? "UINT16" });
    onChange([...registers, draft]);
    onOpen(new Set([...open, draft.id]));
  };
  return (
    <>
      {registers.length === 0 && <p class="text-soft">{t("modbus.noRegistersYet")}</p>}
      {registers.length > 0 && (
        <ul
          class="divide-y divide-base-300 rounded-field border border-base-300"
          aria-label={t("modbus.registersTitle")}
        >
          {registers.map((draft) => (
            <Row
              key={draft.id}
              draft={draft}
              registers={registers}
              isOpen={open.has(draft.id)}
              isChecked={attempts > 0}
              onToggle={() => toggle(draft.id)}
              onChange={(changes) =>
                onChange(registers.map((row) => (row.id === draft.id ? { ...row, ...changes } : row)))
              }
              onRemove={() => onChange(registers.filter(({ id }) => id !== draft.id))}
            />
          ))}
        </ul>
      )}
      <Button
        icon={Plus}
        class="btn btn-sm self-start"
        disabled={registers.length >= REGISTERS_MAX}
        onClick={add}
      >
        {t("modbus.addRegister")}
      </Button>
    </>
  );
}

/** Returns the type of the value, and unusual settings of its bytes and bits. */
function formatOf({ area, type, order, length, bit, bits }: RegisterDraft): string[] {
  if (isBitArea(area)) return [type];
  const bitText = `${t("modbus.bit")} ${bit}${bits === "" ? "" : ` (${bits})`}`;
  return [
    type === "STRING" ? `${type}(${length})` : type,
    ...(order === "ABCD" ? [] : [order]),
    ...(bit === "" ? [] : [bitText]),
  ];
}

/** Returns the unusual settings of a register as a short text. */
function summaryOf(draft: RegisterDraft): string {
  const { scale, offset, intervalSeconds, writable } = draft;
  return [
    ...formatOf(draft),
    ...(scale === "" ? [] : [`× ${scale}`]),
    ...(offset === "" ? [] : [`+ ${offset}`]),
    ...(intervalSeconds === "" ? [] : [`${intervalSeconds} s`]),
    ...(writable ? [t("modbus.writableShort")] : []),
  ].join(" · ");
}

interface RowProps {
  readonly draft: RegisterDraft;
  readonly registers: readonly RegisterDraft[];
  readonly isOpen: boolean;
  readonly isChecked: boolean;
  readonly onToggle: () => void;
  readonly onChange: (changes: Partial<RegisterDraft>) => void;
  readonly onRemove: () => void;
}

function Row({ draft, registers, isOpen, isChecked, onToggle, onChange, onRemove }: RowProps) {
  const problems = isChecked ? problemsOf(draft, registers) : {};
  const hasProblem = Object.keys(problems).length > 0;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  const name = draft.key.trim() || t("modbus.newRegister");
  return (
    <li class="flex flex-col gap-3 p-2" data-testid="register">
      <div class="flex items-center gap-2">
        <button
          type="button"
          class="flex min-w-0 flex-1 cursor-pointer flex-wrap items-center gap-x-4 rounded-field px-1 py-0.5 text-left hover:bg-base-200"
          aria-expanded={isOpen}
          onClick={onToggle}
        >
          <span class="flex min-w-0 flex-[1_1_10rem] items-center gap-2">
            <Chevron size={16} class="flex-none" aria-hidden="true" />
            <span class={`reading truncate ${hasProblem ? "text-error" : ""}`}>{name}</span>
          </span>
          <span class="flex-[1_1_10rem] pl-6 text-sm text-soft sm:pl-0">
            {t(`modbusArea.${draft.area}`)} <span class="reading">{draft.address}</span>
          </span>
          <span class="reading flex-[1_1_10rem] pl-6 text-sm text-soft sm:pl-0">{summaryOf(draft)}</span>
        </button>
        <IconButton
          icon={X}
          label={t("common.removeKey", { key: name })}
          class="btn btn-ghost btn-sm btn-square flex-none"
          onClick={onRemove}
        />
      </div>
      {isOpen && <RegisterFields draft={draft} problems={problems} onChange={onChange} />}
    </li>
  );
}
