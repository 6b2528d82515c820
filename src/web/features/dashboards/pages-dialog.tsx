import { ArrowUp, Pencil, Plus, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { TAGS_MAX } from "../../../lib/console/form-limits.ts";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { plural, t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { namesOf } from "../../ui/form/comma-list.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { type Board, usersOf, withAlias, withoutPage, withPage, withPageForward } from "./board/board.ts";
import { Tool } from "./board/board-tools.tsx";
import type { Alias } from "./dashboards-api.ts";
import { AliasForm } from "./editor/alias-field.tsx";

interface Props {
  readonly board: Board;
  readonly onChange: (board: Board) => void;
  readonly onClose: () => void;
}

const TAGS_PATTERN = `[^,]{0,${TAGS_MAX.length}}(, ?[^,]{0,${TAGS_MAX.length}}){0,${TAGS_MAX.items - 1}}`;

/** Dialog for the pages of a dashboard and the shared device groups of its widgets. Each change can be undone. */
export function PartsDialog(props: Props) {
  return (
    <Dialog title={t("board.parts")} onClose={props.onClose}>
      <div class="flex flex-col gap-8">
        <Pages {...props} />
        <Sets {...props} />
        <TextField
          label={t("dashboards.tags")}
          hint={t("dashboards.tagsHint", { max: TAGS_MAX.items, length: TAGS_MAX.length })}
          pattern={TAGS_PATTERN}
          defaultValue={props.board.tags.join(", ")}
          onChange={(e) => {
            if (e.currentTarget.reportValidity())
              props.onChange({ ...props.board, tags: namesOf(e.currentTarget.value) });
          }}
        />
        <button type="button" class="btn btn-primary self-end" onClick={props.onClose}>
          {t("common.close")}
        </button>
      </div>
    </Dialog>
  );
}

function Part(props: { title: string; hint: string; children: ComponentChildren }) {
  return (
    <section class="flex flex-col gap-3" aria-label={props.title}>
      <div>
        <h3 class="font-medium">{props.title}</h3>
        <p class="text-sm text-soft">{props.hint}</p>
      </div>
      {props.children}
    </section>
  );
}

/** Keeps the typed name while the dashboard around it is redrawn with each live value. */
function Name(props: { label: string; value: string; onChange: (name: string) => void }) {
  return (
    <input
      key={props.value}
      class="input input-sm min-w-0 flex-1"
      aria-label={props.label}
      maxLength={maxLengthOf("dashboards/dashboard-parts.schemas.ts", "stateSchema", "name")}
      defaultValue={props.value}
      onChange={(e) => {
        const name = e.currentTarget.value.trim();
        if (name === "") e.currentTarget.value = props.value;
        else props.onChange(name);
      }}
    />
  );
}

function Pages({ board, onChange }: Props) {
  const rename = (id: string, name: string) =>
    onChange({
      ...board,
      states: board.states.map((state) => (state.id === id ? { ...state, name } : state)),
    });
  return (
    <Part title={t("board.states")} hint={t("board.pagesHint")}>
      <ol class="flex flex-col gap-2">
        {board.states.map(({ id, name }, index) => (
          <li key={id} class="flex items-center gap-1">
            <Name
              label={t("board.pageName", { n: index + 1 })}
              value={name}
              onChange={(next) => rename(id, next)}
            />
            <Tool
              label={t("board.pageForward", { name })}
              isOff={index === 0}
              onClick={() => onChange(withPageForward(board, index))}
            >
              <ArrowUp size={16} aria-hidden="true" />
            </Tool>
            <Tool
              label={t("board.removePage", { name })}
              isOff={board.states.length === 1}
              isGrave
              onClick={() => onChange(withoutPage(board, id))}
            >
              <Trash2 size={16} aria-hidden="true" />
            </Tool>
          </li>
        ))}
      </ol>
      <Button
        icon={Plus}
        class="btn btn-sm self-start"
        onClick={() => onChange(withPage(board, t("board.newPage", { n: board.states.length + 1 })))}
      >
        {t("board.addPage")}
      </Button>
    </Part>
  );
}

function Sets(props: Props) {
  const { board } = props;
  return (
    <Part title={t("alias.label")} hint={t("alias.setsHint")}>
      {board.aliases.length === 0 && <p class="text-soft">{t("alias.none")}</p>}
      <ul class="flex flex-col gap-2">
        {board.aliases.map((alias) => (
          <AliasRow key={alias.id} {...props} alias={alias} />
        ))}
      </ul>
    </Part>
  );
}

function AliasRow({ board, onChange, alias }: Props & { alias: Alias }) {
  const [isOpen, setOpen] = useState(false);
  const { name } = alias;
  const users = usersOf(board, alias);
  return (
    <li class="flex flex-col gap-2">
      <div class="flex items-center gap-1">
        <Name
          label={t("alias.nameOf", { name })}
          value={name}
          onChange={(next) => onChange(withAlias(board, alias, { ...alias, name: next }))}
        />
        <span class="px-2 text-sm whitespace-nowrap text-soft">{plural("dashboards.widgets", users)}</span>
        <Tool label={t("alias.edit", { name })} onClick={() => setOpen(!isOpen)}>
          <Pencil size={16} aria-hidden="true" />
        </Tool>
        <Tool
          label={t("board.remove", { name })}
          isOff={users > 0}
          isGrave
          onClick={() => onChange({ ...board, aliases: board.aliases.filter(({ id }) => id !== alias.id) })}
        >
          <Trash2 size={16} aria-hidden="true" />
        </Tool>
      </div>
      {isOpen && (
        <AliasForm
          taken={[]}
          before={alias}
          onCreated={(after) => {
            onChange(withAlias(board, alias, after));
            setOpen(false);
          }}
        />
      )}
    </li>
  );
}
