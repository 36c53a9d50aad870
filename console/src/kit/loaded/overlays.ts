import { LoadedDialog as Dialog } from './LoadedDialog.tsx';
import { LoadedMenu as Menu } from './LoadedMenu.tsx';
import { LoadedPopover as Popover } from './LoadedPopover.tsx';

export const LoadedDialog = Dialog;
export const LoadedMenu = Menu;
export const LoadedPopover = Popover;
