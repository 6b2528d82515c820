import { t } from "../../platform/i18n/i18n.ts";

/** Keys that the gateway's configuration file sets, so that the page cannot change them. */
export const FixedKeys = ({ keys }: { keys: readonly string[] }) =>
  keys.map((key) => (
    <p key={key} class="panel border-l-4 border-l-info p-4">
      {t("common.fixedKey", { key, variable: `LINESIDE_${key.toUpperCase()}` })}
    </p>
  ));
