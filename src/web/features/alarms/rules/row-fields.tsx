import { Trash2 } from "lucide-preact";
import { unitSymbol } from "../../../../lib/keys/key-format.ts";
import { KEY_BYTES_MAX } from "../../../../lib/keys/key-metadata.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { AutomaticDuration } from "../../../ui/form/automatic-duration-field.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { type ConditionRow, ROW_OPERATORS } from "./rule-form.ts";

/** Id of the list of keys of the site. */
export const KEY_LIST = "known-keys";
const SCOPES = ["SERVER", "SHARED", "CLIENT"] as const;

/** Fields of one comparison: key, operator and value. */
export function RowFields(props: {
  row: ConditionRow;
  /** Unit of the values of the key. */
  unit: string | undefined;
  onChange: (row: ConditionRow) => void;
  onRemove: (() => void) | undefined;
}) {
  const { row, onRemove } = props;
  const set = (changes: Partial<ConditionRow>) => props.onChange({ ...row, ...changes });
  const takesValue = row.op !== "CHANGED" && row.op !== "NO_DATA";
  return (
    <div class="flex flex-wrap items-end gap-2" data-testid="condition-row">
      <input
        class="input min-w-0 flex-[2_1_10rem]"
        required
        maxLength={KEY_BYTES_MAX}
        list={KEY_LIST}
        aria-label={t("rule.key")}
        placeholder={t("rule.key")}
        value={row.key}
        onInput={(e) => set({ key: e.currentTarget.value })}
      />
      <select
        class="select min-w-0 flex-[1_1_9rem]"
        aria-label={t("rule.op")}
        value={row.op}
        onChange={(e) => {
          const op = ROW_OPERATORS.find((rowOperator) => rowOperator === e.currentTarget.value);
          if (op) set({ op });
        }}
      >
        {ROW_OPERATORS.map((op) => (
          <option key={op} value={op}>
            {t(`op.${op}`)}
          </option>
        ))}
      </select>
      {takesValue && (
        <select
          class="select min-w-0 flex-[1_1_8rem]"
          aria-label={t("rule.with")}
          value={row.attribute === "" ? "value" : row.scope}
          onChange={(e) => {
            const scope = SCOPES.find((text) => text === e.currentTarget.value);
            set(scope ? { scope, attribute: row.attribute || t("rule.limitName") } : { attribute: "" });
          }}
        >
          <option value="value">{t("rule.withValue")}</option>
          {SCOPES.map((scope) => (
            <option key={scope} value={scope}>
              {t("rule.withAttribute", { scope: t(`scope.${scope}`) })}
            </option>
          ))}
        </select>
      )}
      {takesValue && <ComparedInput row={row} unit={props.unit} set={set} />}
      {row.op === "NO_DATA" && <SilenceField ms={row.forMs} onChange={(forMs) => set({ forMs })} />}
      {onRemove && <IconButton icon={Trash2} label={t("rule.removeRow")} onClick={onRemove} />}
    </div>
  );
}

const SilenceField = (props: { ms: number | null; onChange: (ms: number | null) => void }) => (
  <AutomaticDuration
    label={t("field.ruleTrigger.forMs")}
    hint={undefined}
    value={props.ms}
    onChange={props.onChange}
  />
);

/** The compared value, or the name of the compared attribute. */
function ComparedInput(props: {
  row: ConditionRow;
  unit: string | undefined;
  set: (changes: Partial<ConditionRow>) => void;
}) {
  const { row, unit, set } = props;
  const isValue = row.attribute === "";
  return (
    <label class="input min-w-0 flex-[1_1_8rem]">
      <input
        required
        aria-label={t(isValue ? "common.value" : "rule.attribute")}
        placeholder={t(row.op === "IN" || row.op === "BETWEEN" ? "rule.values" : "common.value")}
        value={isValue ? row.value : row.attribute}
        onInput={(e) =>
          set(isValue ? { value: e.currentTarget.value } : { attribute: e.currentTarget.value })
        }
      />
      {isValue && unit !== undefined && <span class="text-soft">{unitSymbol(unit)}</span>}
    </label>
  );
}
