/** Little words of English that several rules go by. */

export const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const ASKING = words('which what who whom where whose when why how');
export const AUXILIARY = words('is are was were be been do does did has have had can could will would');
