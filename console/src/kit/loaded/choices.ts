import { LoadedCombobox as Combobox, LoadedMultiSelect as MultiSelect } from './LoadedCombobox.tsx';
import { LoadedSelect as Select } from './LoadedSelect.tsx';

export const LoadedSelect = Select;
export const LoadedCombobox = Combobox;
export const LoadedMultiSelect = MultiSelect;
