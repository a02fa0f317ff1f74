/** The name that changes are noted under where nobody has to log in. */
export const anybody = 'operator';
