"""Faults that others reported of tools like ours: each a small page, and what is right there.

The number before a page's name is that of the report in our list of sources. Those about calls,
addresses and secrets stand in test_tools_reports_calls.py, two about callbacks in
test_views_html.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from browser.support.floor import Floor

pytestmark = pytest.mark.browser


def outline(floor: Floor, **arguments: Any) -> str:
    return str(floor.call("read_page", **arguments)["data"]["outline"])


def fill(floor: Floor, name: str, value: Any) -> dict[str, Any]:
    return floor.call("fill_form_field", fields=[{"name": name, "value": value}])


def test_02_a_choice_reaches_listeners_of_change(floor: Floor) -> None:
    floor.report("02-vue-select")
    assert floor.call("select_option", target="Colour", options=["Green"])["success"]
    assert floor.text("#out") == "g"


def test_03_a_list_that_is_filled_when_opened(floor: Floor) -> None:
    floor.report("03-filled-when-opened")
    assert floor.call("select_option", target="Town", options=["Rome"])["success"]
    assert (floor.value("#s"), len(floor.questions)) == ("Rome", 1)


def test_05_a_list_and_its_buttons_are_both_there(floor: Floor) -> None:
    floor.report("05-list-with-buttons")
    assert 'listbox "Towns"' in outline(floor)
    assert floor.call("click", target="Bern")["code"] == "ambiguous", "the entry and its button"
    assert floor.call("click", target="css=#b")["data"]["added"] == ['- text: "Bern chosen"']


def test_06_radios_hidden_under_their_labels(floor: Floor) -> None:
    floor.report("06-hidden-radios")
    seen = outline(floor)
    assert (seen.count('"Card"'), seen.count('"Cash"')) == (1, 1)
    assert fill(floor, "Payment", "Cash")["success"]
    assert floor.value("#m", "checked") is True


def test_08_a_box_hidden_behind_its_picture(floor: Floor) -> None:
    floor.report("08-styled-checkbox")
    assert floor.call("set_checked", target="Newsletter", checked=True)["success"]
    assert floor.value("#box", "checked") is True


def test_09_clearing_is_one_change(floor: Floor) -> None:
    floor.report("09-clear-a-search")
    assert fill(floor, "Search", "")["success"]
    assert (floor.text("#out"), floor.page.evaluate("window.changes")) == ("[]", 1)
    assert fill(floor, "Search", "")["data"]["unchanged"]


def test_11_no_password_is_ever_seen(floor: Floor) -> None:
    floor.report("11-password")
    seen = [outline(floor), str(floor.call("read_element", target="Password"))]
    seen.append(str(floor.call("find_in_page", text="hunter")))
    assert "mei" in seen[0]
    assert "hunter2" not in "".join(seen)
    assert "hunter3" not in "".join(seen)


def test_14_what_lies_under_a_cover_is_marked(floor: Floor) -> None:
    floor.report("14-under-a-cover")
    data = floor.call("read_page")["data"]
    assert data["covered_by"]["name"] == "Cookies"
    assert floor.call("click", target="Buried")["code"] == "covered"


def test_15_frames_of_others_are_named(floor: Floor) -> None:
    floor.report("15-payment-frames")
    seen = outline(floor)
    assert seen.count("another origin: cannot be read") == 2
    assert 'frame "CVV"' in seen
    missing = fill(floor, "Number of the card", "1")
    assert "another origin" in str(missing)


def test_17_reading_twice_gives_the_same(floor: Floor) -> None:
    floor.report("17-nested-frames")
    floor.page.frame_locator("iframe").frame_locator("iframe").locator("button").wait_for()
    assert outline(floor) == outline(floor)
    assert 'button "Deep"' in outline(floor)


def test_18_after_a_scroll_rows_are_read_anew(floor: Floor) -> None:
    floor.report("18-lazy-list")
    first = floor.call("query_data", target="News")["data"]["rows"]
    floor.call("scroll_to", container="News", direction="bottom")
    later = floor.call("query_data", target="News")["data"]["rows"]
    assert [len(first), len(later), later[-1]["text"]] == [8, 10, "N9"]


def test_20_labels_tell_the_pagers_arrows_apart(floor: Floor) -> None:
    floor.report("20-arrows-and-labels")
    data = floor.call("query_data", target="Orders", to_end=True)["data"]
    assert [row["No"] for row in data["rows"]] == ["1", "2", "3", "4"]
    assert floor.page.evaluate("window.jumped") == 0


def test_21_what_the_page_made_of_a_value_is_told(floor: Floor) -> None:
    floor.report("21-address-rewritten")
    result = fill(floor, "City", "London, Ontario")
    assert floor.value("#c") == "London, UK"
    assert (result["success"], result["code"], result["data"]["filled"]) == (
        False,
        "not_filled",
        [],
    )
    told = result["data"]["failed"][0]
    assert (told["code"], told["value"], told["wanted"]) == (
        "not_accepted",
        "London, UK",
        "London, Ontario",
    )
    offered = floor.call("list_options", target="City")["data"]["options"]
    assert [one["label"] for one in offered] == ["London, UK", "London, Ontario"]


def test_23_a_menu_in_a_shadow_in_a_frame(floor: Floor) -> None:
    floor.report("23-menu-in-shadow-in-frame")
    floor.page.frame_locator("#fr").locator("#host").wait_for(state="attached")
    floor.page.evaluate(
        "fr.contentDocument.getElementById('host').attachShadow({ mode: 'open' }).innerHTML ="
        " '<button>Open menu</button><p></p>';"
        "{ const root = fr.contentDocument.getElementById('host').shadowRoot;"
        " root.firstChild.onclick = () => { root.lastChild.textContent = 'menu is open'; }; }"
        "null"  # a function as the value would be called
    )
    opened = floor.call("click", target="Open menu")
    assert opened["success"], opened
    inside = "fr.contentDocument.getElementById('host').shadowRoot.lastChild.textContent"
    assert floor.page.evaluate(inside) == "menu is open"
    assert opened["data"].get("added") == ['- text: "menu is open"'], outline(floor)


def test_24_a_form_in_a_shadow_root(floor: Floor) -> None:
    floor.report("24-form-in-shadow")
    assert 'textbox "User"' in outline(floor)
    assert fill(floor, "User", "mei")["success"]
    assert fill(floor, "Code word", "x")["data"]["failed"][0]["code"] == "secret_field"
    held = floor.page.locator("#host input").evaluate_all("all => all.map((one) => one.value)")
    assert held == ["mei", ""]


def test_26_a_mail_is_not_sent_with_an_empty_body(floor: Floor) -> None:
    floor.report("26-mail-body")
    assert 'textbox "Message body"' in outline(floor)
    assert fill(floor, "Message body", "Good day")["success"]
    floor.call("click", target="Send")
    assert floor.text("#out") == "sent: Good day"


def test_27_a_wrapper_leads_to_its_field(floor: Floor) -> None:
    floor.report("27-wrapper-of-an-input")
    assert fill(floor, "css=#wrap", "Oslo")["success"]
    assert floor.value("#inner") == "Oslo"


def test_29_a_toggles_state_is_shown(floor: Floor) -> None:
    floor.report("29-toggle-with-children")
    assert 'button "Filters" [collapsed]' in outline(floor)
    floor.call("click", target="Filters")
    assert 'button "Filters" [expanded]' in outline(floor).replace(", active", "")
    assert 'button "Price"' in outline(floor)


def test_30_references_do_not_shift(floor: Floor) -> None:
    floor.report("30-inserting-field")
    second = floor.call("read_element", target="Second")["data"]["ref"]
    floor.call("click", target="First")
    assert fill(floor, second, "here")["success"]
    assert (floor.value("#b"), floor.value("#a")) == ("here", "")


def test_32_a_destructive_question_is_answered_with_no(floor: Floor) -> None:
    floor.report("32-destructive-confirm")
    assert floor.call("click", target="Clean up")["code"] == "dialog_declined"
    assert floor.text("#out") == "all there"


def test_33_no_dialog_stops_the_tools(floor: Floor) -> None:
    floor.report("33-three-dialogs")
    codes = [floor.call("click", target=name)["code"] for name in ("Tell", "Wonder", "Wish")]
    assert codes == ["ok", "dialog_declined", "dialog_declined"]
    assert floor.text("#out") == "told false null"


def test_38_44_nothing_is_a_number_and_signs_count_once(floor: Floor) -> None:
    floor.report("38-nothing-is-a-number")
    assert floor.call("scroll_to", direction="down", pixels=400)["data"]["top"] == 400
    assert floor.page.evaluate("scrollX") == 0
    assert floor.call("scroll_to", direction="up", pixels=150)["data"]["top"] == 250
    assert floor.call("scroll_to", direction="right", pixels=90)["data"]["left"] == 90
    assert floor.call("scroll_to", direction="left", pixels=90)["data"]["left"] == 0


def test_39_77_a_native_list_is_chosen_from_not_clicked(floor: Floor) -> None:
    floor.report("39-native-select")
    assert floor.call("click", target="Size")["code"] == "use_select_option"
    floor.report("77-closed-option")
    assert floor.call("click", target="css=#l")["code"] == "use_select_option"
    assert floor.call("select_option", target="Size", options=["L"])["success"]
    assert floor.value("#s") == "L"


def test_41_a_menu_is_pressed_on_its_title(floor: Floor) -> None:
    floor.report("41-menu-title-row")
    result = floor.call("click", target="Settings")
    assert floor.text("#out") == "title", result


@pytest.mark.parametrize(
    ("page", "name"), [("42-text-that-vanishes", "Post"), ("93-editor-that-refuses", "Editor")]
)
def test_42_93_text_that_does_not_stay_is_not_reported_as_written(
    floor: Floor, page: str, name: str
) -> None:
    floor.report(page)
    result = fill(floor, name, "Hello there")
    assert (result["success"], result["data"]["filled"]) == (False, [])
    assert result["data"]["failed"][0]["code"] == "not_accepted"


def test_45_what_only_aria_makes_a_control(floor: Floor) -> None:
    floor.report("45-aria-only")
    assert '"Bold" [ref=' in outline(floor).replace(" [not pressed]", "").replace(
        " [pressed=false]", ""
    )
    assert floor.call("click", target="Bold")["success"]
    assert floor.page.get_attribute("#b", "aria-pressed") == "true"


def test_50_68_visible_children_of_hidden_parents(floor: Floor) -> None:
    floor.report("50-visible-child")
    seen = outline(floor)
    assert ('dialog "Notice"' in seen, "Read me" in seen, "never said" in seen) == (
        True,
        True,
        False,
    )
    floor.report("68-visibility-mix")
    seen = outline(floor)
    assert ("yes" in seen, "no" in seen) == (True, False)


def test_51_53_words_in_frames_are_seen_and_found(floor: Floor) -> None:
    floor.report("51-pointer-frame")
    floor.page.frame_locator("iframe").locator("h2").wait_for()
    assert 'heading "Inside the frame"' in outline(floor)
    assert floor.call("find_in_page", text="inside the frame")["data"]["total"] == 1


def test_54_a_huge_page_stays_within_its_budget(floor: Floor) -> None:
    floor.report("54-huge")
    data = floor.call("read_page")["data"]
    assert (len(data["outline"]) <= 12_000, data["complete"]) == (True, False)
    assert data["left_out"] > 0
    part = floor.call("find_in_page", text="part 2999,")["data"]["hits"][0]["ref"]
    assert "2999" in outline(floor, target=part)


def test_56_75_a_box_is_set_not_toggled(floor: Floor) -> None:
    floor.report("56-checkbox")
    assert floor.call("set_checked", target="Terms", checked=True)["success"]
    assert floor.value("#b", "checked") is True
    floor.report("75-checkbox-twice")
    for _ in range(2):
        assert floor.call("set_checked", target="Updates", checked=True)["success"]
    assert (floor.value("#b", "checked"), floor.page.evaluate("window.n")) == (True, 1)


def test_57_input_leaves_a_shadow_root_and_change_does_not(floor: Floor) -> None:
    floor.report("57-input-in-shadow")
    assert fill(floor, "Inner", "x")["success"]
    assert floor.text("#out") == "input:true"


def test_59_text_is_replaced_not_added(floor: Floor) -> None:
    floor.report("59-focus-collapses")
    assert fill(floor, "Amount", "7")["success"]
    assert floor.value("#a") == "7"


def test_60_two_fields_get_each_its_own(floor: Floor) -> None:
    floor.report("60-two-fields")
    names = [{"name": "First", "value": "Ada"}, {"name": "Last", "value": "Byron"}]
    assert floor.call("fill_form_field", fields=names)["success"]
    assert (floor.value("#a"), floor.value("#b")) == ("Ada", "Byron")


def test_62_a_target_under_a_header_is_scrolled_free(floor: Floor) -> None:
    floor.report("62-under-a-header")
    assert floor.call("click", target="Target")["success"]
    assert floor.text("#out") == "hit"


def test_63_an_own_slot_is_no_cover(floor: Floor) -> None:
    floor.report("63-own-slot")
    assert floor.call("click", target="css=button")["success"]
    assert floor.text("#out") == "pressed"


def test_65_a_control_that_is_only_a_picture(floor: Floor) -> None:
    floor.report("65-icon-only")
    assert '"More actions"' in outline(floor)
    assert floor.call("click", target="More actions")["code"] == "no_observable_change"


def test_66_what_is_hidden_from_readers_alone_is_not_said_as_page_text(floor: Floor) -> None:
    floor.report("66-aria-hidden")
    seen = outline(floor)
    assert "For all" in seen
    assert seen.count("Close it") == 1


def test_69_a_rows_words_are_said_once(floor: Floor) -> None:
    floor.report("69-row-text")
    assert outline(floor).count("Oslo") == 1


@pytest.mark.parametrize("page", ["72-date", "87-date-of-digits"])
def test_72_87_dates_are_written_whole_or_refused_clearly(floor: Floor, page: str) -> None:
    floor.report(page)
    name = "Day" if page.startswith("72") else "Born"
    refused = fill(floor, name, "01012020")["data"]["failed"][0]
    assert (refused["code"], "YYYY-MM-DD" in refused["reason"]) == ("bad_value", True)
    assert floor.value("#d") == ""
    assert fill(floor, name, "2020-01-31")["success"]
    assert floor.value("#d") == "2020-01-31"


def test_74_after_a_list_the_next_button_works(floor: Floor) -> None:
    floor.report("74-open-select")
    floor.call("select_option", target="Size", options=["L"])
    floor.call("click", target="Next")
    assert floor.text("#out") == "L"


def test_78_an_option_without_a_value_is_chosen_by_its_words(floor: Floor) -> None:
    floor.report("78-empty-option")
    assert floor.call("select_option", target="Kind", options=["Any"])["success"]
    assert floor.value("#s") == ""


def test_80_after_an_alert_nothing_stays_shut(floor: Floor) -> None:
    floor.report("33-three-dialogs")
    floor.call("click", target="Tell")
    assert floor.call("read_page")["success"]
    assert floor.page.evaluate("alert.toString()").endswith("{ [native code] }")


def test_81_after_a_change_of_view_the_page_is_read_anew(floor: Floor) -> None:
    floor.report("81-single-page")
    assert "Home" in outline(floor)
    floor.call("click", target="Orders")
    seen = outline(floor)
    assert ("Twelve" in seen, "Home" in seen) == (True, False)


def test_83_a_disabled_group_and_its_legend(floor: Floor) -> None:
    floor.report("83-disabled-fieldset")
    assert fill(floor, "Inside", "x")["data"]["failed"][0]["code"] == "disabled"
    assert floor.call("set_checked", target="Switch", checked=True)["success"]
    assert (floor.value("#l", "checked"), floor.value("#i")) == (True, "")


def test_84_a_label_around_an_element_is_one_click(floor: Floor) -> None:
    floor.report("84-label-around-element")
    floor.call("click", target="css=#lab")
    assert floor.page.evaluate("window.clicks84") == 1


def test_89_file_fields_filter_and_tell(floor: Floor) -> None:
    floor.report("89-upload")
    refused = floor.call("attach_file", target="Image", name="a.txt", text="x")
    assert refused["code"] == "bad_value"
    assert floor.call("attach_file", target="Many", name="a.txt", text="x")["success"]
    assert floor.text("#out") == "input change"


def test_95_slots_once_and_closed_roots_not_taken_for_empty(floor: Floor) -> None:
    floor.report("95-slots-and-closed-roots")
    seen = outline(floor)
    assert (seen.count("slotted once"), seen.count("shadow words")) == (1, 1)
    assert "shut words" not in seen
    assert "x-shut-95" in seen
    assert "closed inside: cannot be read" in seen


def test_96_a_reference_to_what_is_gone_is_an_error(floor: Floor) -> None:
    floor.report("96-stale")
    ref = floor.call("read_element", target="Save")["data"]["ref"]
    floor.page.evaluate("a.innerHTML = '<button>Erase</button>'")
    assert floor.call("click", target=ref)["code"] == "stale_ref"


def test_99_rewritten_values_are_chosen_by_their_words(floor: Floor) -> None:
    floor.report("99-rewritten-values")
    assert floor.call("select_option", target="Towns", options=["Rome", "Bern"])["success"]
    chosen = floor.page.evaluate("[...s.selectedOptions].map((one) => one.text)")
    assert chosen == ["Rome", "Bern"]


def test_102_no_text_of_what_is_not_drawn(floor: Floor) -> None:
    floor.report("102-text-of-hidden-parts")
    seen = [outline(floor), str(floor.call("find_in_page", text="leak"))]
    assert "shown" in seen[0]
    assert "hidden" not in seen[0].replace("aria-hidden", "")
    assert "leak" not in seen[0]
    assert '"total": 0' in seen[1].replace("'", '"')
