// The form that every framework draws: what it starts with and what there is to choose.

export const start = () => ({
  name: "old", message: "", amount: 1, day: "", volume: 0, agree: false, plan: "free", size: "", tags: [], lazy: "",
});
export const plans = [["free", "Free"], ["pro", "Pro"]];
export const sizes = [["", "Any"], ["s", "Small"], ["l", "Large"]];
export const tags = [["a", "Alpha"], ["b", "Beta"], ["c", "Gamma"]];
