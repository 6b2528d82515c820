import { t } from "../../platform/i18n/i18n.ts";
import { ConnectionPage, type ConnectionView } from "./connection-page.tsx";
import { EntryUnitPage, type EntryUnitView } from "./entry-unit-page.tsx";
import type { FieldKind, fieldApi } from "./field-api.ts";
import { intervalText, UnitCard } from "./unit-card.tsx";

interface UnitProps<Kind extends FieldKind> {
  readonly unit: Kind["unit"];
  readonly isOpen: boolean;
  readonly onDeleted: () => void;
}

interface CardView<Kind extends FieldKind> {
  readonly api: Pick<ReturnType<typeof fieldApi<Kind>>, "deleteUnit">;
  readonly path: ConnectionView<Kind>["path"];
  readonly idOf: (unit: Kind["unit"]) => string;
  readonly entriesOf: (unit: Kind["unit"]) => readonly object[];
  /** Settings of a unit in words; its interval by default. */
  readonly lineOf?: (unit: Kind["unit"]) => string;
  /** Number of entries in words. */
  readonly countText: (count: number, unit: Kind["unit"]) => string;
  readonly refusedOf: (unit: Kind["unit"]) => readonly { readonly key: string; readonly text: string }[];
}

const intervalLine = ({ intervalMs }: { readonly intervalMs: number }): string =>
  t("s7.unitLine", { interval: intervalText(intervalMs) });

/** Returns the card of a unit with its entries. */
export const entryUnitCard =
  <Kind extends FieldKind>({ lineOf = intervalLine, ...view }: CardView<Kind>) =>
  (props: UnitProps<Kind>) => {
    const { unit } = props;
    const { api, path, idOf, entriesOf, countText, refusedOf } = view;
    const { length } = entriesOf(unit);
    return (
      <UnitCard
        {...props}
        path={`${path}/${unit.connectionId}/${idOf(unit)}`}
        line={`${lineOf(unit)} · ${countText(length, unit)}`}
        isEmpty={length === 0}
        refused={refusedOf(unit)}
        onDelete={() => api.deleteUnit(unit.connectionId, idOf(unit))}
      />
    );
  };

/** A connection, or one of its units. */
export const EntryPages = <Kind extends FieldKind, Of, Draft>({
  view,
  unitView,
  connectionId,
  unitId,
}: {
  view: ConnectionView<Kind>;
  unitView: EntryUnitView<Kind, Of, Draft>;
  connectionId: string;
  unitId: string | undefined;
}) =>
  unitId === undefined ? (
    <ConnectionPage key={connectionId} connectionId={connectionId} view={view} />
  ) : (
    <EntryUnitPage
      key={unitId}
      view={unitView}
      connectionId={connectionId}
      unitId={unitId === "new" ? undefined : unitId}
    />
  );
