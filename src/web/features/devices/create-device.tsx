import { later } from "../../ui/later.tsx";

export const CreateDevice = later(
  () => import("./create-device-dialog.tsx"),
  ({ CreateDeviceDialog }) => CreateDeviceDialog,
);
