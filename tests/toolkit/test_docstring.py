from pagehand.toolkit.docstring import read_docstring


def test_google_form():
    found = read_docstring(
        """Finds orders.

        Looks in the table.

        Args:
            status: Which ones,
                as shown in the table.
            limit (int): At most so many.
            *rest: More.

        Returns:
            The rows.
        """
    )
    assert found.text == "Finds orders.\n\nLooks in the table."
    assert found.arguments == {
        "status": "Which ones, as shown in the table.",
        "limit": "At most so many.",
        "rest": "More.",
    }


def test_numpy_form():
    found = read_docstring(
        """Finds orders.

        Parameters
        ----------
        status : str
            Which ones.
        limit
            At most so many.

        Returns
        -------
        list
            The rows.
        """
    )
    assert found.text == "Finds orders."
    assert found.arguments == {"status": "Which ones.", "limit": "At most so many."}


def test_sphinx_form():
    found = read_docstring(
        """Finds orders.

        :param status: Which ones,
            as shown.
        :param int limit: At most so many.
        :returns: The rows.
        """
    )
    assert found.text == "Finds orders."
    assert found.arguments == {"status": "Which ones, as shown.", "limit": "At most so many."}


def test_only_text():
    assert read_docstring("Returns the user.").text == "Returns the user."
    assert read_docstring("").text == ""
    assert read_docstring("").arguments == {}


def test_a_word_in_the_text_is_no_section():
    text = "Takes notes: one a line.\nParameters are free."
    assert read_docstring(text).text == text


def test_chinese_text_stays():
    assert read_docstring("返回当前登录用户信息。\n\nArgs:\n    名: 用户名。").arguments == {
        "名": "用户名。"
    }
