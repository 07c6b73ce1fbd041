import angular from "angular";
import { plans, sizes, start, tags } from "./form.js";

export function mount(root) {
  root.innerHTML = `<form>
    <label>Name <input ng-model="state.name"></label>
    <label>Message <textarea ng-model="state.message"></textarea></label>
    <label>Amount <input type="number" ng-model="state.amount"></label>
    <label>Day <input type="date" ng-model="state.day"></label>
    <label>Volume <input type="range" min="0" max="10" step="5" ng-model="state.volume"></label>
    <label><input type="checkbox" ng-model="state.agree">Agree</label>
    <fieldset><legend>Plan</legend>
      <label ng-repeat="one in plans"><input type="radio" name="plan" ng-value="one[0]" ng-model="state.plan">{{ one[1] }}</label>
    </fieldset>
    <label>Size <select ng-model="state.size" ng-options="one[0] as one[1] for one in sizes"></select></label>
    <label>Tags <select multiple ng-model="state.tags" ng-options="one[0] as one[1] for one in tags"></select></label>
    <label>Lazy <input ng-model="state.lazy" ng-model-options="{ updateOn: 'blur' }"></label>
  </form>`;
  let scope;
  angular.module("page", []).run(["$rootScope", ($rootScope) => {
    scope = Object.assign($rootScope, { state: { ...start(), day: null }, plans, sizes, tags });
  }]);
  angular.bootstrap(root, ["page"]);
  // The model of a date field is a Date.
  const day = (date) => date && new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
  return { state: () => ({ ...scope.state, day: day(scope.state.day) }) };
}
